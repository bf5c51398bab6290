// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.opening;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.nios2s.listener.connection.ClosingStep;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;

/**
 * The peer has begun as many transactions as its rate allows: this one waits for its time. It holds nothing yet but its
 * connection. Lives on the connection's IO worker.
 */
record AwaitRateStep(PeerConnection connection, long nanos, Supplier<Step> transaction) implements WaitingStep {
    @Override
    public Step begin() {
        connection
                .worker()
                .schedule(
                        () -> connection.handler().proceedHere(this, this::transactionOrEnd),
                        nanos,
                        TimeUnit.NANOSECONDS);
        return this;
    }

    private Step transactionOrEnd() {
        if (connection.isToBeLetGo()) {
            return new ClosingStep(connection.channel());
        }
        return transaction.get();
    }

    /** The wait is ours, and no deadline's business. */
    @Override
    public Patience patience() {
        return Patience.UNLIMITED;
    }

    @Override
    public boolean isIdle() {
        return true;
    }
}
