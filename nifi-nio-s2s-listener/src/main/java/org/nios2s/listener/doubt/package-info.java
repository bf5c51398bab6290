// SPDX-License-Identifier: Apache-2.0
/**
 * Packets in doubt: those that were committed while their peers could not be told so. A peer sends such a packet again, and finds it
 * here.
 *
 * <p>{@code port} and {@code push} say by a {@code Receipt} what became of a transaction; all else is this package's own.
 */
package org.nios2s.listener.doubt;
