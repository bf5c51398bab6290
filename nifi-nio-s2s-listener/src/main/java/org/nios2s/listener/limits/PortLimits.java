// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.ArrayList;
import java.util.List;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.limits.SharedResource.Part;

/**
 * The limits of one port besides its {@code RequestQueue}. Immutable; its parts are thread-safe.
 *
 * @param streaming permits of pushes that have outgrown memory, with a session each
 * @param sending permits of pulls, with a session each
 * @param memory of what the port's transactions hold
 */
public record PortLimits(Part streaming, Part sending, Part memory) implements AutoCloseable {
    /** The port is no longer used. */
    @Override
    public void close() {
        streaming.close();
        sending.close();
        memory.close();
    }

    /**
     * The resources that a push holds from its admission to its end. Given back once, by whichever thread ends the transaction.
     * Thread-safe.
     */
    public static final class TransactionLease implements AutoCloseable {
        private final Grant charge;
        private final List<Runnable> ends = new ArrayList<>();
        private boolean isClosed;

        public TransactionLease(final Grant charge, final Grant place) {
            this.charge = charge;
            ends.add(charge::close);
            ends.add(place::close);
        }

        /** @return the transaction's memory */
        public Grant charge() {
            return charge;
        }

        /** @param task gives back what the transaction has acquired since; run at once if the transaction has ended already */
        public void whenClosed(final Runnable task) {
            synchronized (this) {
                if (!isClosed) {
                    ends.add(task);
                    return;
                }
            }
            task.run();
        }

        @Override
        public void close() {
            final List<Runnable> tasks;
            synchronized (this) {
                isClosed = true;
                tasks = List.copyOf(ends);
                ends.clear();
            }
            tasks.forEach(Runnable::run);
        }
    }
}
