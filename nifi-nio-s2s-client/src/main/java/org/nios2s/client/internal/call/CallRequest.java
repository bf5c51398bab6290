// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.nios2s.client.Direction;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionException;
import org.nios2s.client.internal.connection.Attempt;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.Endpoint;

/**
 * A transaction that a caller wants. Immutable; any thread.
 *
 * @param peers where it may run
 * @param direction whether packets are sent or received
 * @param options its limits
 * @param retry which failures are followed by another attempt
 * @param repeatable asked after a failure, before another attempt: whether what was to be sent can still be had
 * @param starter begins an attempt
 * @param completion where its future is completed; null for the client's executor
 * @param attemptsBefore of its packets that failed, in transactions before it; the retry policy counts them
 * @param heldBytes memory that its packets take, where nobody else counts it
 * @param sinceNanos when its delivery time-out and its deadline began, by {@link System#nanoTime}
 */
public record CallRequest(
        PeerSelector peers,
        Direction direction,
        CallOptions options,
        RetryPolicy retry,
        Predicate<TransactionException> repeatable,
        AttemptStarter starter,
        Executor completion,
        int attemptsBefore,
        long heldBytes,
        long sinceNanos) {
    /** Begins one attempt of a transaction. */
    public interface AttemptStarter {
        Attempt start(Endpoint port, CallOptions options);
    }

    /** A transaction whose time starts now. */
    public CallRequest(
            final PeerSelector peers,
            final Direction direction,
            final CallOptions options,
            final RetryPolicy retry,
            final Predicate<TransactionException> repeatable,
            final AttemptStarter starter) {
        this(peers, direction, options, retry, repeatable, starter, null, 0, 0, System.nanoTime());
    }

    public CallRequest completedOn(final Executor executor) {
        return new CallRequest(
                peers, direction, options, retry, repeatable, starter, executor, attemptsBefore, heldBytes, sinceNanos);
    }

    /** @return the same, of packets that were attempted before */
    public CallRequest attemptedBefore(final int times) {
        return new CallRequest(
                peers, direction, options, retry, repeatable, starter, completion, times, heldBytes, sinceNanos);
    }

    /** @return the same, of packets that were given earlier */
    public CallRequest since(final long nanos) {
        return new CallRequest(
                peers, direction, options, retry, repeatable, starter, completion, attemptsBefore, heldBytes, nanos);
    }

    public CallRequest holding(final long bytes) {
        return new CallRequest(
                peers, direction, options, retry, repeatable, starter, completion, attemptsBefore, bytes, sinceNanos);
    }
}
