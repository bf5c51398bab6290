// SPDX-License-Identifier: Apache-2.0
/**
 * The steps of a push, from its admission to its answer.
 *
 * <p>{@code protocol} enters the first of them, {@link org.nios2s.listener.push.AdmitTransactionStep}. They run on the
 * connection's IO worker. A port task calls only {@code AwaitSessionStep}, with a session.
 */
package org.nios2s.listener.push;
