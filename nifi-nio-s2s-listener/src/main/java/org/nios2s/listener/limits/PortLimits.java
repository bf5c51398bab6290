// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.concurrent.atomic.AtomicReference;

/**
 * What the peers of one port may have at once. Immutable; its parts are thread-safe.
 *
 * @param places push transactions, from before their first packet until they end
 * @param streaming push transactions that have outgrown memory, with a session each
 * @param sending pull transactions, with a session each
 */
public record PortLimits(Limit places, Limit streaming, Limit sending, MemoryBudget.Quota memory) {
    /**
     * What a push transaction holds of its port's limits, from admission to its end. Given back once, by whichever thread ends
     * the transaction. Thread-safe.
     */
    public static final class TransactionLease implements AutoCloseable {
        private static final Runnable CLOSED = () -> {};

        private final MemoryBudget.Account charge;
        private final Limit.Permit place;
        private final AtomicReference<Runnable> whenClosed = new AtomicReference<>();

        public TransactionLease(final MemoryBudget.Account charge, final Limit.Permit place) {
            this.charge = charge;
            this.place = place;
        }

        /** @return what the transaction's memory is charged to */
        public MemoryBudget.Account charge() {
            return charge;
        }

        /** @param task gives back what the transaction has got beside; run at once if the transaction has ended already */
        public void whenClosed(final Runnable task) {
            if (!whenClosed.compareAndSet(null, task)) {
                task.run();
            }
        }

        /** @return whether another peer waits for any of it, of which this one's peer holds more than its share */
        public boolean isBeyondShare() {
            return charge.isBeyondShare() || place.isBeyondShare();
        }

        @Override
        public void close() {
            charge.close();
            place.close();
            final Runnable task = whenClosed.getAndSet(CLOSED);
            if (task != null) {
                task.run();
            }
        }
    }
}
