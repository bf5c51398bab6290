// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A port of NiFi that takes packets. Immutable; any thread.
 *
 * <p>Made by {@link SiteToSite#inputPort}; tests of code that uses it may make their own.
 */
public interface InputPort {
    /**
     * Sets another limit for a whole transaction.
     *
     * @param max attempts and pauses included; null for none
     * @return the same port with this limit
     */
    InputPort withDeadline(@Nullable Duration max);

    /**
     * Sets another limit for a peer that takes nothing and says nothing.
     *
     * @param max null for none
     * @return the same port with this limit
     */
    InputPort withIdleTimeout(@Nullable Duration max);

    /**
     * Has NiFi wait for us as long within a transaction, above all for a slow source. Ports that differ in it do not share
     * connections.
     *
     * @param expiration more than 0
     * @return the same port with this time
     */
    InputPort withRequestExpiration(Duration expiration);

    /**
     * Sets other rules for failed transactions.
     *
     * @param policy replaces the builder's
     * @return the same port with these rules
     */
    InputPort withRetry(RetryPolicy policy);

    /**
     * Sends one packet in one transaction.
     *
     * @param packet becomes one FlowFile
     * @return as for {@link #send(Collection)}
     */
    CompletableFuture<TransactionResult> send(Packet packet);

    /**
     * Sends packets in one transaction.
     *
     * @param packets at least one; copied
     * @return completed when NiFi has taken all of them over, or none: see {@link TransactionException#isOutcomeUnknown}
     */
    CompletableFuture<TransactionResult> send(Collection<Packet> packets);

    /**
     * Sends packets in one transaction, as many as the iterator has. It is tried again only if no attempt had a connection: one
     * that had may have asked the iterator.
     *
     * @param packets at least one; asked on a thread that may block, which is interrupted when the transaction fails
     * @return as for {@link #send(Collection)}
     */
    CompletableFuture<TransactionResult> send(Iterator<Packet> packets);

    /**
     * Gathers packets to transactions.
     *
     * @param options when a transaction begins, and how much may be pending
     * @return to be closed before the {@link SiteToSite} is
     */
    BatchingSender batching(BatchingOptions options);

    /**
     * The same as {@link #batching(BatchingOptions)} with {@link BatchingOptions#standard} but for these two.
     *
     * @param maxPackets that make a transaction at once
     * @param linger the longest time that a packet waits for company
     * @return to be closed before the {@link SiteToSite} is
     */
    default BatchingSender batching(final int maxPackets, final Duration linger) {
        return batching(BatchingOptions.standard().withMaxPackets(maxPackets).withLinger(linger));
    }

    /**
     * Joins records to FlowFiles.
     *
     * @param framing how records stand in the content
     * @param attributes of every FlowFile; without {@code uuid} and {@code record.count}, which each FlowFile has of its own
     * @param options packets are records here. At most {@code maxPackets} and {@code maxBytes} are joined to a FlowFile, and no
     *     record is larger; {@code maxBytes} is 64 MiB at most
     * @return to be closed before the {@link SiteToSite} is
     */
    RecordSender joining(RecordFraming framing, Map<String, String> attributes, BatchingOptions options);

    /**
     * The same as {@link #joining(RecordFraming, Map, BatchingOptions)} with {@link BatchingOptions#ofRecords}.
     *
     * @param framing how records stand in the content
     * @param attributes as there
     * @return to be closed before the {@link SiteToSite} is
     */
    default RecordSender joining(final RecordFraming framing, final Map<String, String> attributes) {
        return joining(framing, attributes, BatchingOptions.ofRecords());
    }
}
