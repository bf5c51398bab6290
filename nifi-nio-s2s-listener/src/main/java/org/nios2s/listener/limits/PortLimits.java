// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

/**
 * What the peers of one port may have at once. Immutable; its parts are thread-safe.
 *
 * @param places push transactions, from before their first packet until they end
 * @param streaming push transactions that have outgrown memory, with a session each
 * @param sending pull transactions, with a session each
 */
public record PortLimits(Limit places, Limit streaming, Limit sending, MemoryBudget.Share memory) {
    /**
     * What a push transaction holds of its port's limits, from admission to its end. Given back once, whoever ends it.
     * Thread-safe.
     */
    public record TransactionHold(MemoryBudget.Charge charge, Limit.Permit place) implements AutoCloseable {
        /** @return whether another peer waits for any of it, of which this one's peer holds more than its share */
        public boolean isBeyondShare() {
            return charge.isBeyondShare() || place.isBeyondShare();
        }

        @Override
        public void close() {
            charge.close();
            place.close();
        }
    }
}
