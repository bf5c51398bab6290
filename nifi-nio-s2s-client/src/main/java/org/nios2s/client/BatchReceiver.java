// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Pulls batch after batch and hands each to a handler, until it is closed. Its handlers run on virtual threads, as many
 * as batches may be handled at a time; any thread may stop or close it.
 *
 * <p>After a failure that may pass, or one of the handler's, it pauses a growing time and goes on. A node of a cluster that
 * refuses us is passed over; when all of them do, the receiver asks more and more seldom, or ends if
 * {@link OutputPort#endOnRefusal} says so. When it ends by itself, {@link #whenEnded} and an ERROR in the log say why.
 */
public interface BatchReceiver extends AutoCloseable {
    /**
     * Completes when it has ended, with the reason.
     *
     * @return completed when the receiver has ended and its last handler has returned; completed with a
     *     {@link TransactionException} when it ended by itself, for it can't go on
     */
    CompletableFuture<Void> whenEnded();

    /** Asks for no more batches, and returns at once; those in hand are finished. */
    void stop();

    /**
     * Stops, and waits for the batches in hand as {@link #close(Duration)} does, for the builder's
     * {@link SiteToSite.Builder#shutdownTimeout}. Within a handler it only stops.
     */
    @Override
    void close();

    /**
     * Stops, and waits until the batches in hand are over. NiFi keeps those that are not over in time, and their handlers are
     * interrupted; this does not wait for handlers that do not obey, see {@link #whenEnded}. Within a handler it only stops.
     *
     * @param max how long to wait
     * @return whether all is over
     */
    boolean close(Duration max);
}
