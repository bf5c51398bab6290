// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    private static final Duration PAUSE = Duration.ofMillis(10);
    private static final Duration SHUTDOWN = Duration.ofSeconds(30);

    private final InMemoryOutputPort port;
    private final BatchHandler handler;
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final AtomicInteger running;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile TransactionException failed;

    InMemoryReceiver(final InMemoryOutputPort port, final BatchHandler handler, final int parallelism) {
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
                batch.handle(handler);
            }
        } catch (final TransactionException e) {
            if (e.reason().isTransient() || e.reason() == FailureReason.HANDLER_FAILED) {
                pause();
            } else {
                failed = e;
                stop();
            }
        } catch (final IOException e) {
            // An interrupt of a thread that is ours: of a handler that did not return in time.
            stop();
        }
    }

    private void pause() {
        try {
            stopping.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (final InterruptedException e) {
            stop();
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
            threads.forEach(Thread::interrupt);
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            threads.forEach(Thread::interrupt);
            return false;
        }
    }
}
