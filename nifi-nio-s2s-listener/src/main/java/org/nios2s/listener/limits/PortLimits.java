// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.concurrent.atomic.AtomicReference;

/**
 * The limits of one port besides its {@code RequestQueue}. Immutable; its parts are thread-safe.
 *
 * @param streaming permits of pushes that have outgrown memory, with a session each
 * @param sending permits of pulls, with a session each
 * @param memory the port's quota
 */
public record PortLimits(Limit streaming, Limit sending, MemoryBudget.Quota memory) {
    /**
     * The resources that a push holds from its admission to its end. Given back once, by whichever thread ends the transaction.
     * Thread-safe.
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

        /** @return the account of the transaction's memory */
        public MemoryBudget.Account charge() {
            return charge;
        }

        /** @param task gives back what the transaction has acquired since; run at once if the transaction has ended already */
        public void whenClosed(final Runnable task) {
            if (!whenClosed.compareAndSet(null, task)) {
                task.run();
            }
        }

        /** @return whether another peer waits for a resource of which this transaction's peer holds more than its share */
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
