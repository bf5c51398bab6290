// SPDX-License-Identifier: Apache-2.0
/**
 * The steps of a pull, from the wait for a session to the commit.
 *
 * <p>{@code protocol} enters the first of them, {@link org.nios2s.listener.pull.AwaitFlowFilesStep}. They run on the
 * connection's IO worker. A port task makes the first piece of what is sent, and content workers make the others.
 */
package org.nios2s.listener.pull;
