// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

/**
 * How a cell is expected to end. Immutable; any thread.
 *
 * @param closed whether the listener ends the connection; otherwise it waits for the next bytes
 * @param fewest transactions that are committed nevertheless
 * @param most of them: a peer that leaves while its transaction waits takes it back, or comes too late for that
 */
record End(boolean closed, int fewest, int most) {
    static final End CLOSED = new End(true, 0, 0);
    static final End OPEN = new End(false, 0, 0);
    static final End COMMITTED_AND_CLOSED = new End(true, 1, 1);
    static final End COMMITTED_IF_IN_TIME = new End(true, 0, 1);
    static final End COMMITTED = new End(false, 1, 1);
    static final End COMMITTED_AGAIN_AND_AGAIN = new End(true, 1, Integer.MAX_VALUE);
}
