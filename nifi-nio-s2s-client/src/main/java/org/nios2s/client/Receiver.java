// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.TransferDirection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pulls batch after batch and hands each to a handler, until it is closed. Lives on virtual threads of its own, as many
 * as batches may be handled at a time; any thread may close it.
 *
 * <p>After a failure that may pass, or one of the handler's, it pauses a growing time and goes on; any other ends it.
 */
public final class Receiver implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(Receiver.class);

    private static final Duration FIRST_EMPTY_PAUSE = Duration.ofMillis(10);
    private static final Duration LONGEST_EMPTY_PAUSE = Duration.ofSeconds(1);

    private final OutputPort port;
    private final BatchHandler handler;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final AtomicInteger running;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    Receiver(final OutputPort port, final BatchHandler handler, final int parallelism) {
        if (parallelism < 1) {
            throw new IllegalArgumentException("parallelism is " + parallelism + "; accepted: 1 or more");
        }
        this.port = port;
        this.handler = handler;
        this.running = new AtomicInteger(parallelism);
        for (int i = 0; i < parallelism; i++) {
            Thread.ofVirtual().name("s2s-receiver-" + i + "-of-" + port.name()).start(this::receive);
        }
    }

    /**
     * @return completed when the receiver has been closed and its last batch is over; completed with a
     *     {@link TransactionException} when it ended by itself, for it can't go on
     */
    public CompletableFuture<Void> ended() {
        return ended.copy();
    }

    /** Asks for no more batches, and waits until those under way are handled. Not to be called by the handler. */
    @Override
    public void close() {
        stopping.countDown();
        ended.exceptionally(failure -> null).join();
    }

    private void receive() {
        int failed = 0;
        Duration emptyPause = FIRST_EMPTY_PAUSE;
        try {
            while (stopping.getCount() > 0) {
                try {
                    final boolean any = receiveBatch();
                    failed = 0;
                    emptyPause = any ? FIRST_EMPTY_PAUSE : longer(emptyPause);
                    if (!any) {
                        pause(emptyPause);
                    }
                } catch (final TransactionException e) {
                    failed++;
                    if (!goesOn(e)) {
                        ended.completeExceptionally(e);
                        stopping.countDown();
                    } else {
                        pause(port.retry().pause(failed));
                    }
                }
            }
        } catch (final InterruptedException e) {
            // Nobody interrupts these threads but who wants them to end.
            Thread.currentThread().interrupt();
        } catch (final RuntimeException | Error e) {
            logger.error("The receiver of {} ends", port.name(), e);
            ended.completeExceptionally(e);
            stopping.countDown();
        } finally {
            if (running.decrementAndGet() == 0) {
                ended.complete(null);
            }
        }
    }

    private static Duration longer(final Duration pause) {
        final Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(LONGEST_EMPTY_PAUSE) < 0 ? doubled : LONGEST_EMPTY_PAUSE;
    }

    private void pause(final Duration pause) throws InterruptedException {
        if (stopping.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
            logger.debug("The receiver of {} is closed", port.name());
        }
    }

    private static boolean goesOn(final TransactionException failure) {
        return failure.reason().isPassing() || failure.reason() == FailureReason.RECEIVER_FAILED;
    }

    /** @return whether there was one */
    private boolean receiveBatch() throws TransactionException {
        RemotePort peer = null;
        InteractiveTransfer transfer = null;
        try {
            peer = ReceivedBatch.await(port.peers().choose(TransferDirection.RECEIVE));
            transfer = port.begin(peer);
            if (!ReceivedBatch.await(transfer.started())) {
                return false;
            }
            final ReceivedBatch batch = new ReceivedBatch(transfer);
            handler.handle(batch);
            batch.complete();
            report(transfer);
            return true;
        } catch (final Exception | Error e) {
            // Also what a handler should not throw must not end the receiver unheard.
            throw failure(peer, transfer, e);
        }
    }

    private void report(final InteractiveTransfer transfer) {
        final TransactionResult done = transfer.result().join();
        Observers.tell(port.observer(), seen -> seen.transactionCompleted(TransferDirection.RECEIVE.name(), done));
    }

    private TransactionException failure(
            final RemotePort peer, final InteractiveTransfer transfer, final Throwable thrown) {
        final Throwable cause = thrown instanceof UncheckedIOException ? thrown.getCause() : thrown;
        final TransactionException failure;
        if (transfer == null) {
            failure = cause instanceof final TransactionException known ? known : port.failure(cause);
        } else {
            transfer.stop(FailureReason.RECEIVER_FAILED, "The handler refuses the batch: " + cause, cause);
            failure = transfer.failure();
            port.peers().failed(peer, failure);
        }
        logger.warn("A batch of {} was not received: {}", port.name(), failure.getMessage());
        Observers.tell(port.observer(), seen -> seen.transactionFailed(TransferDirection.RECEIVE.name(), failure));
        return failure;
    }
}
