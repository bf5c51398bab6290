// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.HashMap;
import java.util.Map;

/**
 * The amount of one limited resource that each peer holds. Guarded by the lock of the limit that owns this object.
 *
 * <p>A peer is known here as long as it holds some of the resource or waits for it, so a peer that left takes no memory.
 */
final class PeerUsage {
    /** One peer's amount. Guarded by the lock of the limit, as all of its fields. */
    static final class Holder {
        private final Object peer;
        private long held;
        private int uses;

        private Holder(final Object peer) {
            this.peer = peer;
        }

        long held() {
            return held;
        }
    }

    private final Map<Object, Holder> holders = new HashMap<>();

    /** @return the peer's holder, to be given back with {@link #release} */
    Holder acquire(final Object peer) {
        final Holder holder = holders.computeIfAbsent(peer, Holder::new);
        holder.uses++;
        return holder;
    }

    void release(final Holder holder) {
        holder.uses--;
        if (holder.uses == 0) {
            holders.remove(holder.peer);
        }
    }

    /** Must not be called while the peer is in a {@link WaitQueue}, which is ordered by the amount: see {@link WaitQueue#takeOut}. */
    void hold(final Holder holder, final long more) {
        holder.held += more;
    }

    /** @return peers that hold some of the resource or wait for it */
    int peers() {
        return holders.size();
    }
}
