// SPDX-License-Identifier: Apache-2.0
/**
 * The light client: speaks the RAW protocol itself on a few event loops, for thousands of logical clients.
 *
 * <p>By hand: the conversation. A generator that shares no state machine with what it measures finds what both would get wrong.
 */
package org.nios2s.harness.load.wire;
