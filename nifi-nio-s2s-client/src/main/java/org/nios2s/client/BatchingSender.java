// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Gathers packets to transactions: a transaction begins when enough packets or bytes are there, or one has waited long
 * enough, and no more run than allowed. Any thread.
 *
 * <p>The delivery time-out and the deadline of a packet start when it is taken: after {@link #send(Packet)} has waited for room.
 * One that waits longer for its transaction fails with {@link FailureReason#DEADLINE_EXCEEDED}. A transaction has the time of
 * its oldest packet; younger ones are sent again when that is over.
 *
 * <p>Every packet has a future of its own, which ends as its transaction does. Those of a transaction complete in the order of the
 * packets, in one task of the completion executor. If what depends on one of them keeps that task for 10 ms, each of the others gets
 * a task of its own. A packet whose content fails is taken out, and its neighbours are sent without it. {@link #close} sends what is
 * there and waits for it.
 */
public interface BatchingSender extends AutoCloseable {
    /**
     * Gives a packet; blocks while too much is pending.
     *
     * @param packet becomes one FlowFile
     * @return completed when NiFi has taken the packet over; its result is that of the whole transaction
     * @throws InterruptedIOException if the thread was interrupted while it waited; the packet was not taken
     */
    CompletableFuture<TransactionResult> send(Packet packet) throws InterruptedIOException;

    /**
     * Gives a packet; blocks while too much is pending, but not longer than this.
     *
     * @param packet becomes one FlowFile
     * @param max how long to wait for room; afterwards the packet fails with {@link FailureReason#TOO_MANY_PENDING}
     * @return as for {@link #send(Packet)}
     * @throws InterruptedIOException as there
     */
    CompletableFuture<TransactionResult> send(Packet packet, Duration max) throws InterruptedIOException;

    /**
     * Gives a packet and never blocks: while too much is pending it fails with {@link FailureReason#TOO_MANY_PENDING}.
     *
     * @param packet becomes one FlowFile
     * @return as for {@link #send(Packet)}
     * @see #whenWritable
     */
    CompletableFuture<TransactionResult> sendAsync(Packet packet);

    /**
     * Completes when there is room again after {@link FailureReason#TOO_MANY_PENDING}.
     *
     * @return completed when a packet can be given; at once if it can be now
     */
    CompletableFuture<Void> whenWritable();

    /**
     * Counts what is not over.
     *
     * @return packets that were given and are not over yet
     */
    int pendingPackets();

    /**
     * Sends what is there without waiting for more.
     *
     * @return completed, never with a failure, when everything given before is over, well or not
     */
    CompletableFuture<Void> flush();

    /**
     * Takes no more packets, sends what is there, and waits until all is over; an interrupt ends the waiting only. What
     * depends on the futures is not waited for. Each packet is over within its delivery time-out; only a transaction under way
     * takes longer. It has the builder's {@link SiteToSite.Builder#shutdownTimeout} more, and then ends as with
     * {@link #close(Duration)}.
     */
    @Override
    void close();

    /**
     * The same, but waits no longer than this. Then packets that wait fail with {@link FailureReason#CLIENT_CLOSED}, and so do
     * those of transactions under way, which are ended; the log says how many.
     *
     * @param max how long to wait
     * @return whether all was over in time
     */
    boolean close(Duration max);
}
