// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

/**
 * How much of a {@link SharedResource} may be taken without asking. Immutable; any thread.
 *
 * <p>What was taken so is given back with its transaction, which may be slow: a request that comes later must not wait for that, nor
 * must another peer. So one peer takes three eighths at most, and all together leave a sixteenth. A peer that has taken its part goes
 * on asking for small amounts, which is why its part is less than half.
 */
final class Growth {
    private static final int SIXTEENTHS = 16;
    private static final int SIXTEENTHS_OF_ALL = 15;
    private static final int SIXTEENTHS_OF_A_PEER = 6;

    private Growth() {}

    /** @return whether enough is left for those who ask */
    static boolean leavesRoomForRequests(final long held, final long max) {
        return held < max / SIXTEENTHS * SIXTEENTHS_OF_ALL;
    }

    /** @return whether enough is left for another peer to take without asking */
    static boolean leavesRoomForPeers(final long heldByPeer, final long max) {
        return heldByPeer < max / SIXTEENTHS * SIXTEENTHS_OF_A_PEER;
    }
}
