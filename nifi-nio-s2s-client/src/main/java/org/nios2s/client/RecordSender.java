// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Joins records to FlowFiles and sends each FlowFile in a transaction of its own, when enough records or bytes are there, or one
 * record has waited long enough. Any thread.
 *
 * <p>Every record has a future of its own, which ends as the transaction of its FlowFile does: all records of a FlowFile are
 * delivered, or none. Otherwise it is a {@link BatchingSender} of records: time-outs, limits and close are as there.
 *
 * <p>A FlowFile has the attributes {@code record.count} and {@code mime.type}, and a {@code uuid} that is the same at every attempt.
 * Records that are sent again because a peer took nothing of their FlowFile may get into others, with other identifiers.
 */
public interface RecordSender extends AutoCloseable {
    /**
     * Gives a record; blocks while too much is pending.
     *
     * @param record not copied: leave it unchanged until the future is complete
     * @return completed when NiFi has taken over the FlowFile with the record. The result is the FlowFile's: one packet, with the
     *     bytes of all its records. It fails at once, with {@link
     *     FailureReason#CONTENT_FAILED}, if the record is null, does not fit the framing, or is larger than a FlowFile may be
     * @throws InterruptedIOException if the thread was interrupted while it waited; the record was not taken
     */
    CompletableFuture<TransactionResult> send(byte[] record) throws InterruptedIOException;

    /**
     * Gives a record; blocks while too much is pending, but not longer than this.
     *
     * @param record as for {@link #send(byte[])}
     * @param max how long to wait for room; afterwards the record fails with {@link FailureReason#TOO_MANY_PENDING}
     * @return as for {@link #send(byte[])}
     * @throws InterruptedIOException as there
     */
    CompletableFuture<TransactionResult> send(byte[] record, Duration max) throws InterruptedIOException;

    /**
     * Gives a record and never blocks: while too much is pending it fails with {@link FailureReason#TOO_MANY_PENDING}.
     *
     * @param record as for {@link #send(byte[])}
     * @return as for {@link #send(byte[])}
     * @see #whenWritable
     */
    CompletableFuture<TransactionResult> sendAsync(byte[] record);

    /**
     * Completes when there is room again after {@link FailureReason#TOO_MANY_PENDING}.
     *
     * @return completed when a record can be given; at once if it can be now
     */
    CompletableFuture<Void> whenWritable();

    /**
     * Counts what is not over.
     *
     * @return records that were given and are not over yet
     */
    int pendingRecords();

    /**
     * Sends what is there without waiting for more.
     *
     * @return completed, never with a failure, when everything given before is over, well or not
     */
    CompletableFuture<Void> flush();

    /** Takes no more records, sends what is there, and waits, as {@link BatchingSender#close()} does. */
    @Override
    void close();

    /**
     * The same, but waits no longer than this, as {@link BatchingSender#close(Duration)} does.
     *
     * @param max how long to wait
     * @return whether all was over in time
     */
    boolean close(Duration max);
}
