// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

/**
 * What a push transaction holds of its port's limits, from admission to its end. Given back once, whoever ends it.
 * Thread-safe.
 *
 * @param charge of every byte
 * @param place at the port
 */
public record TransactionHold(MemoryBudget.Charge charge, Limit.Permit place) implements AutoCloseable {
    @Override
    public void close() {
        charge.close();
        place.close();
    }
}
