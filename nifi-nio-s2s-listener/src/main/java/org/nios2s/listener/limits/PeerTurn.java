// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

/**
 * The clock of one peer: it runs only in the peer's own turn. A wait of ours stops it and never restarts it. Written a few times a
 * second by the connection's IO worker, which has looked at the socket just before; read by any thread.
 */
public final class PeerTurn {
    private volatile boolean isPeers;
    private volatile long takenNanos;
    private volatile long silentNanos;

    /** A transaction begins. */
    public void restart() {
        takenNanos = 0;
        silentNanos = 0;
    }

    /**
     * Counts the time since the last call.
     *
     * @param nowPeers whether it is the peer's turn
     * @param takenMore of the peer's time; less than has passed where the worker itself was late
     * @param silentMore of the peer's time, in which nothing came or went
     */
    // One thread writes.
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    public void count(final boolean nowPeers, final long takenMore, final long silentMore) {
        isPeers = nowPeers;
        if (nowPeers) {
            takenNanos += takenMore;
            silentNanos += silentMore;
        }
    }

    /** Something came from the peer, or went to it. */
    public void heard() {
        silentNanos = 0;
    }

    /** @return whether it is the peer's turn */
    boolean isPeers() {
        return isPeers;
    }

    /** @return how much of its own time the peer has taken for its transaction */
    long takenNanos() {
        return takenNanos;
    }

    /** @return for how long of its own time the peer has been silent */
    public long silentNanos() {
        return silentNanos;
    }
}
