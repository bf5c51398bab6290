// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A port of NiFi that gives packets. Immutable; any thread.
 *
 * <p>{@link #receive} pulls for ever and hands batches to a handler; {@link #pull} does so once. With {@link #poll} the
 * caller's own thread asks, and says when NiFi may forget. Made by {@link SiteToSite#outputPort}; tests of code that uses
 * it may make their own.
 */
public interface OutputPort {
    /**
     * Sets another limit for a whole transaction.
     *
     * @param max attempts and pauses included; null for none
     * @return the same port with this limit
     */
    OutputPort withDeadline(@Nullable Duration max);

    /**
     * Sets another limit for a peer that takes nothing and says nothing.
     *
     * @param max null for none
     * @return the same port with this limit
     */
    OutputPort withIdleTimeout(@Nullable Duration max);

    /**
     * Has NiFi wait as long for a batch to be handled. Ports that differ in it do not share connections.
     *
     * @param expiration more than 0
     * @return the same port with this time
     */
    OutputPort withRequestExpiration(Duration expiration);

    /**
     * Sets other rules for failed transactions.
     *
     * @param policy replaces the builder's
     * @return the same port with these rules
     */
    OutputPort withRetry(RetryPolicy policy);

    /**
     * Sets other limits of a batch. Ports that differ in them do not share connections.
     *
     * @param limits replace the builder's
     * @return the same port with these limits
     */
    OutputPort withBatchLimits(BatchLimits limits);

    /**
     * Has a receiver end when all nodes refuse it: for a port that is not there, for example, or a missing policy. By default it
     * goes on, and asks more and more seldom, at last once a minute.
     *
     * @return the same port with receivers that end
     */
    OutputPort endOnRefusal();

    /**
     * The same as {@link #receive(BatchHandler, int)} with one batch at a time.
     *
     * @param handler takes the batches, on virtual threads, and may block
     * @return to be closed before the {@link SiteToSite} is
     */
    default BatchReceiver receive(final BatchHandler handler) {
        return receive(handler, 1);
    }

    /**
     * Pulls batch after batch until the receiver is closed.
     *
     * @param handler takes the batches, on virtual threads, and may block
     * @param parallelism batches at a time
     * @return to be closed before the {@link SiteToSite} is
     */
    BatchReceiver receive(BatchHandler handler, int parallelism);

    /**
     * Pulls one batch from one node, in one transaction. It is tried again only as long as the handler was not called.
     *
     * @param handler takes the batch, on a virtual thread, and may block; not called if there are no packets
     * @return completed when NiFi knows that it may forget the packets; with 0 packets if that
     *     node had none
     */
    CompletableFuture<TransactionResult> pull(BatchHandler handler);

    /**
     * Asks for a batch, on the caller's thread, until there is one or the time is over. What may pass is tried again within
     * that time. Each node of a cluster is asked before the answer is that there are no packets, except one that failed in
     * the last seconds or refused us in the last minute. So on a cluster a poll may take longer than its time, by the
     * time-outs of nodes that do not answer.
     *
     * <p>The caller reads the packets, stores them, and calls {@link ReceivedBatch#complete}; or {@link ReceivedBatch#close},
     * and NiFi keeps them. As many batches may be open at a time as there are connections.
     *
     * @param max how long to continue asking; zero asks each node once
     * @return a batch to be completed or closed; empty if NiFi had no packets
     * @throws TransactionException if no node gave packets and one of them failed, and trying again did not help in time
     * @throws InterruptedIOException if the thread was interrupted; nothing was received
     * @throws IOException both of them
     */
    Optional<ReceivedBatch> poll(Duration max) throws IOException;
}
