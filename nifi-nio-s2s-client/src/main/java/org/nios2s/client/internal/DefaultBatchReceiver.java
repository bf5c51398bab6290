// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.nios2s.client.BatchHandler;
import org.nios2s.client.BatchReceiver;
import org.nios2s.client.FailureReason;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.TransactionException;
import org.nios2s.client.internal.call.PeerSelector;
import org.nios2s.client.internal.call.Refusals;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.NewerJava;
import org.nios2s.client.internal.transaction.DefaultReceivedBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pulls batch after batch and hands each to a handler, until it is closed. Lives on virtual threads of its own, as many
 * as batches may be handled at a time; any thread may stop or close it.
 *
 * <p>After a failure that may pass, or one of the handler's, it pauses a growing time and goes on. A node of a cluster that
 * refuses us is passed over. When all of them do, it asks more and more seldom, or ends where the port says so. It ends, too,
 * when the client itself fails; {@link #whenEnded} says why.
 */
final class DefaultBatchReceiver implements BatchReceiver {
    /** Where its batches come from. */
    interface Source {
        /** @return what is configured, for errors */
        String name();

        PeerSelector peers();

        RetryPolicy retry();

        boolean endsOnRefusal();

        /** @return how long closing waits */
        Duration shutdownTimeout();

        /** Finds the peer to ask next. Blocks, in bounded time. */
        Endpoint choose() throws IOException;

        /**
         * Asks a peer once for a batch. Blocks.
         *
         * @param givenUp when it completes the answer is waited for no longer
         * @return null if the peer has no packets
         */
        DefaultReceivedBatch ask(Endpoint peer, CompletableFuture<Void> givenUp) throws IOException;
    }

    private static final Logger logger = LoggerFactory.getLogger(DefaultBatchReceiver.class);

    private final Source port;
    private final BatchHandler handler;
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    /** Completed when {@link #close} waits no longer. */
    private final CompletableFuture<Void> givenUp = new CompletableFuture<>();

    private final Set<DefaultReceivedBatch> inHand = ConcurrentHashMap.newKeySet();
    private final Refusals refusals;

    /** By peer, the failure that was logged last, and after which the peer has not served us. */
    private final Map<String, String> logged = new ConcurrentHashMap<>();

    private final AtomicInteger running;
    /** Why the receiver ends by itself. */
    private final AtomicReference<Throwable> failed = new AtomicReference<>();

    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    DefaultBatchReceiver(final Source port, final BatchHandler handler, final int parallelism) {
        if (parallelism < 1) {
            throw new IllegalArgumentException("parallelism is " + parallelism + "; accepted: 1 or more");
        }
        this.port = port;
        this.handler = handler;
        this.refusals = new Refusals(port.peers());
        this.running = new AtomicInteger(parallelism);
        for (int i = 0; i < parallelism; i++) {
            threads.add(NewerJava.thread("s2s-receiver-" + i + "-of-" + port.name(), this::receive));
        }
        threads.forEach(Thread::start);
    }

    @Override
    public CompletableFuture<Void> whenEnded() {
        return ended.copy();
    }

    @Override
    public void stop() {
        stopping.countDown();
    }

    @Override
    public void close() {
        close(port.shutdownTimeout());
    }

    @Override
    public boolean close(final Duration max) {
        stop();
        if (threads.contains(Thread.currentThread())) {
            // To wait here would be to wait for ourselves.
            return false;
        }
        try {
            ended.get(TimeUnit.NANOSECONDS.convert(max), TimeUnit.NANOSECONDS);
            return true;
        } catch (final ExecutionException e) {
            return true;
        } catch (final TimeoutException e) {
            giveUp("The receiver was closed, and the handler did not return within " + max);
            return false;
        } catch (final InterruptedException e) {
            giveUp("The receiver was closed, and the thread that waited for the handler was interrupted");
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void giveUp(final String message) {
        logger.warn(
                "The receiver of {} is closed while {} batches are in hand; NiFi keeps them",
                port.name(),
                inHand.size());
        givenUp.complete(null);
        inHand.forEach(batch -> batch.giveUp(message));
    }

    private boolean isStopping() {
        return stopping.getCount() == 0;
    }

    private void receive() {
        final PollBackoff pauses = new PollBackoff(port.retry());
        try {
            while (!isStopping()) {
                pause(receiveOne(pauses));
            }
        } catch (final RuntimeException | Error e) {
            endWith(e);
        } finally {
            if (running.decrementAndGet() == 0) {
                end();
            }
        }
    }

    private void endWith(final Throwable cause) {
        failed.compareAndSet(null, cause);
        stopping.countDown();
    }

    private void end() {
        final Throwable cause = failed.get();
        if (cause == null) {
            ended.complete(null);
        } else {
            logEnd(cause);
            ended.completeExceptionally(cause);
        }
    }

    /** A client that was closed is no surprise. */
    private void logEnd(final Throwable cause) {
        if (cause instanceof final TransactionException known && known.reason() == FailureReason.CLIENT_CLOSED) {
            logger.debug("The receiver of {} has ended with its client", port.name());
        } else {
            logger.error("The receiver of {} has ended and receives nothing more", port.name(), cause);
        }
    }

    /** @return the pause before the next one */
    private Duration receiveOne(final PollBackoff pauses) {
        Endpoint peer = null;
        try {
            peer = port.choose();
            final DefaultReceivedBatch batch = port.ask(peer, givenUp);
            refusals.served(peer);
            if (batch == null) {
                forgetFailures(peer);
                return pauses.afterNothing();
            }
            handle(batch);
            forgetFailures(peer);
            pauses.received();
            return Duration.ZERO;
        } catch (final IOException e) {
            return handleFailure(peer, e, pauses);
        }
    }

    /** What fails from now on is said again, whether it is the peer or no peer is found. */
    private void forgetFailures(final Endpoint peer) {
        logged.remove(peer.peer());
        logged.remove(port.peers().name());
    }

    private void handle(final DefaultReceivedBatch batch) throws TransactionException {
        inHand.add(batch);
        try {
            if (givenUp.isDone()) {
                batch.close();
            } else {
                batch.handle(handler);
            }
        } finally {
            inHand.remove(batch);
        }
    }

    private Duration handleFailure(final Endpoint peer, final IOException thrown, final PollBackoff pauses) {
        if (!(thrown instanceof final TransactionException failure)) {
            // Somebody interrupts a thread that is ours: to end unheard for that would be wrong.
            logger.warn("A batch of {} was not received", port.name(), thrown);
            return pauses.afterFailure();
        }
        log(failure);
        final boolean refused = Refusals.isRefusal(failure) && !refusals.isOfOneNode(failure);
        if (refused && !port.endsOnRefusal()) {
            return pauses.afterRefusal();
        }
        if (refused || !goesOn(failure)) {
            endWith(failure);
        }
        final boolean otherPeer =
                peer != null && !isHandlers(failure) && port.peers().hasOther(peer);
        return otherPeer ? Duration.ZERO : pauses.afterFailure();
    }

    /** What goes on failing in the same way is said once, whatever the threads and pauses. */
    private void log(final TransactionException failure) {
        final String kind = failure.step() + " " + failure.reason();
        final boolean known = kind.equals(logged.put(failure.peer(), kind));
        if (failure.reason() == FailureReason.HANDLER_FAILED) {
            logger.warn("A batch of {} was not received: {}", port.name(), failure.getMessage(), failure.getCause());
        } else if (known || givenUp.isDone()) {
            logger.debug("A batch of {} was not received again: {}", port.name(), failure.getMessage());
        } else {
            logger.warn("A batch of {} was not received: {}", port.name(), failure.getMessage());
        }
    }

    private static boolean isHandlers(final TransactionException failure) {
        return failure.reason() == FailureReason.HANDLER_FAILED || failure.reason() == FailureReason.HANDLER_TOO_SLOW;
    }

    private boolean goesOn(final TransactionException failure) {
        // Cancelled: the handler closed its batch, or close() gave it up.
        return failure.reason().isTransient()
                || isHandlers(failure)
                || failure.reason() == FailureReason.CANCELLED
                || Refusals.isRefusal(failure);
    }

    private void pause(final Duration pause) {
        // A flag that a handler left would end the pause.
        Thread.interrupted();
        try {
            if (stopping.await(TimeUnit.NANOSECONDS.convert(pause), TimeUnit.NANOSECONDS)) {
                logger.debug("The receiver of {} stops", port.name());
            }
        } catch (final InterruptedException e) {
            logger.debug("A pause of the receiver of {} is interrupted", port.name(), e);
        }
    }
}
