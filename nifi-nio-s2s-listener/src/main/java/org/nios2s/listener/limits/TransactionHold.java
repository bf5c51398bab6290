// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What a push transaction holds of its port's limits, from admission to its end: a place, and memory. Given back once,
 * whoever ends it. Thread-safe.
 *
 * @param charge of every byte
 */
public record TransactionHold(MemoryBudget.Charge charge, Limit places, AtomicBoolean closed) implements AutoCloseable {
    /** For a place that was acquired. */
    public TransactionHold(final PortLimits limits) {
        this(limits.memory().open(), limits.places(), new AtomicBoolean());
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            charge.close();
            places.release();
        }
    }
}
