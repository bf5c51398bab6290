// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;

/**
 * The peer has begun as many transactions as its rate allows: this one waits for its time. It holds nothing yet but its
 * connection. Lives on the connection's IO worker.
 */
final class AwaitRateStep implements WaitingStep {
    private final PeerConnection connection;
    private final long nanos;
    private final Supplier<Step> transaction;
    private ScheduledFuture<?> turn;

    /**
     * @param nanos until the transaction's time has come
     * @param transaction makes its first step
     */
    AwaitRateStep(final PeerConnection connection, final long nanos, final Supplier<Step> transaction) {
        this.connection = connection;
        this.nanos = nanos;
        this.transaction = transaction;
    }

    @Override
    public PeerConnection connection() {
        return connection;
    }

    @Override
    public Step begin() {
        turn = connection
                .worker()
                .schedule(
                        () -> connection.handler().proceedOnWorker(this, this::transactionOrEnd),
                        nanos,
                        TimeUnit.NANOSECONDS);
        return this;
    }

    private Step transactionOrEnd() {
        if (connection.isDraining()) {
            return connection.closing();
        }
        return transaction.get();
    }

    /** The transaction never began: the peer may begin another one in its place. */
    @Override
    public void abandon() {
        turn.cancel(false);
        connection.rate().giveTransactionBack();
    }

    /** The wait is ours: no time-out applies. */
    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.NONE;
    }
}
