// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.nios2s.client.BatchHandler;
import org.nios2s.client.BatchReceiver;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;

/**
 * Hands batch after batch of a port in memory to a handler. Lives on virtual threads of its own; any thread may stop or
 * close it.
 */
final class InMemoryReceiver implements BatchReceiver {
    private static final Set<FailureReason> REFUSALS = EnumSet.of(
            FailureReason.UNAUTHORIZED, FailureReason.UNKNOWN_PORT, FailureReason.TLS_FAILED, FailureReason.REFUSED);

    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration SHUTDOWN = Duration.ofSeconds(30);

    private final InMemoryOutputPort port;
    private final BatchHandler handler;
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final AtomicInteger running;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    /** These two are guarded by this object. */
    private final Set<InMemoryBatch> inHand = new HashSet<>();

    private boolean givenUp;
    private volatile TransactionException failed;

    InMemoryReceiver(final InMemoryOutputPort port, final BatchHandler handler, final int parallelism) {
        if (parallelism < 1) {
            throw new IllegalArgumentException("parallelism is " + parallelism + "; accepted: 1 or more");
        }
        this.port = port;
        this.handler = handler;
        this.running = new AtomicInteger(parallelism);
        for (int i = 0; i < parallelism; i++) {
            threads.add(Thread.ofVirtual().unstarted(this::receive));
        }
        threads.forEach(Thread::start);
    }

    private void receive() {
        while (stopping.getCount() > 0) {
            receiveOne();
        }
        if (running.decrementAndGet() == 0) {
            end();
        }
    }

    private void end() {
        if (failed == null) {
            ended.complete(null);
        } else {
            ended.completeExceptionally(failed);
        }
    }

    private void receiveOne() {
        try {
            final InMemoryBatch batch = port.next(PAUSE).orElse(null);
            if (batch != null) {
                handle(batch);
            }
        } catch (final TransactionException e) {
            if (goesOn(e.reason())) {
                pause();
            } else {
                failed = e;
                stop();
            }
        } catch (final IOException e) {
            // Somebody interrupts a thread that is ours: the real one goes on, too.
            pause();
        }
    }

    private boolean goesOn(final FailureReason reason) {
        final boolean ends = reason == FailureReason.CLIENT_CLOSED
                || reason == FailureReason.INTERNAL_ERROR
                || port.endsOnRefusal() && REFUSALS.contains(reason);
        return !ends;
    }

    private void handle(final InMemoryBatch batch) throws TransactionException {
        final boolean late;
        synchronized (this) {
            inHand.add(batch);
            late = givenUp;
        }
        try {
            if (late) {
                batch.close();
            } else {
                batch.handle(handler);
            }
        } finally {
            synchronized (this) {
                inHand.remove(batch);
            }
        }
    }

    /** NiFi keeps what is in hand, also when its handler returns later. */
    private void giveUp() {
        final List<InMemoryBatch> left;
        synchronized (this) {
            givenUp = true;
            left = List.copyOf(inHand);
        }
        left.forEach(InMemoryBatch::giveUp);
        threads.forEach(Thread::interrupt);
    }

    private void pause() {
        // A flag that somebody left would end the pause.
        Thread.interrupted();
        try {
            stopping.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (final InterruptedException e) {
            // It was short anyway.
            Thread.interrupted();
        }
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
        close(SHUTDOWN);
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
            giveUp();
            return false;
        } catch (final InterruptedException e) {
            giveUp();
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
