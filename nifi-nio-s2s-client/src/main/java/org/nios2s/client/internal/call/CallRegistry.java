// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.FailureReason;
import org.nios2s.client.internal.connection.ConnectionOptions;
import org.nios2s.client.internal.connection.Connections;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the calls of a client and knows those that are not over: how many may be pending, and what a close waits for. Any
 * thread; never blocks, but for {@link #drain} and {@link #close}.
 */
public final class CallRegistry implements Call.Shared {
    private static final Logger logger = LoggerFactory.getLogger(CallRegistry.class);

    /** How long a close waits for an executor of the caller's that takes what is decided. */
    private static final Duration HAND_OVER = Duration.ofSeconds(1);

    private static final long HAND_OVER_LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    private final Connections connections;
    private final Executor completion;
    private final ClientObserver observer;
    private final Set<Call> unfinished = ConcurrentHashMap.newKeySet();
    private final Map<PeerSelector, PendingLimit> pending = new ConcurrentHashMap<>();
    private volatile boolean draining;
    private volatile boolean closed;

    public CallRegistry(final Connections connections, final Executor completion, final ClientObserver observer) {
        this.connections = connections;
        this.completion = completion;
        this.observer = observer;
    }

    /** Runs a transaction. */
    public RunningCall run(final CallRequest request) {
        final Executor executor = request.completion() == null ? completion : request.completion();
        final Call call = new Call(this, request, executor);
        unfinished.add(call);
        final PendingLimit limit = pending.computeIfAbsent(request.peers(), this::limit);
        if (draining) {
            call.refuse(FailureReason.CLIENT_CLOSED, "The client is closed");
        } else if (limit.tryAdd(request.heldBytes())) {
            call.outcome().thenRun(() -> limit.remove(request.heldBytes()));
            call.begin();
        } else {
            call.refuse(
                    FailureReason.TOO_MANY_PENDING,
                    limit.count() + " transactions whose packets take " + limit.bytes()
                            + " bytes are pending already; send slower, or allow more of them to wait");
        }
        return call;
    }

    /** Those that have a connection do not wait. */
    private PendingLimit limit(final PeerSelector peers) {
        final ConnectionOptions settings = connections.settings();
        return new PendingLimit(
                () -> settings.maxPending() + (long) settings.maxConnections() * peers.peers(),
                settings.maxPendingBytes());
    }

    @Override
    public void finished(final Call call) {
        unfinished.remove(call);
    }

    /** @return transactions that look for a peer or pause before another attempt */
    public int withoutAttempt() {
        return (int) unfinished.stream().filter(Call::isWithoutAttempt).count();
    }

    /** @return the memory that packets take whose transactions are not over */
    public long pendingBytes() {
        return pending.values().stream().mapToLong(PendingLimit::bytes).sum();
    }

    @Override
    public EventExecutor timer() {
        return connections.timer();
    }

    @Override
    public ClientObserver observer() {
        return observer;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    /** Refuses new calls; those that were begun go on. */
    public void refuseOthers() {
        draining = true;
    }

    public boolean isRefusing() {
        return draining;
    }

    /**
     * Refuses new calls, and waits until the outcome of those that were begun is decided, whatever they wait for, and the
     * completion executor has begun to hand it over.
     */
    public void drain(final Duration longest) {
        draining = true;
        if (connections.isOnWorker()) {
            return;
        }
        final List<Call> calls = unfinished.stream()
                .filter(call -> !call.isHandledBy(Thread.currentThread()))
                .toList();
        if (!await(calls, Call::outcome, longest)) {
            logger.warn(
                    "Closing: {} transactions had not finished after {} and are ended now",
                    calls.stream().filter(call -> !call.outcome().isDone()).count(),
                    longest);
        }
        awaitHandOver(calls);
    }

    /** Refuses further attempts: calls that wait for one end now, with what is known of them. */
    public void stop() {
        draining = true;
        closed = true;
        unfinished.forEach(Call::closed);
    }

    /** The engine has stopped: ends what has not ended with it. */
    public void close() {
        final List<Call> calls = new ArrayList<>(unfinished);
        if (!connections.isOnWorker()) {
            calls.forEach(Call::abandoned);
            awaitHandOver(calls);
        }
    }

    private static boolean await(
            final List<Call> calls, final Function<Call, CompletableFuture<Void>> moment, final Duration longest) {
        final CompletableFuture<Void> all =
                CompletableFuture.allOf(calls.stream().map(moment).toArray(CompletableFuture[]::new));
        try {
            all.get(TimeUnit.NANOSECONDS.convert(longest), TimeUnit.NANOSECONDS);
            return true;
        } catch (final TimeoutException e) {
            return false;
        } catch (final ExecutionException e) {
            throw new IllegalStateException("Such a moment does not fail", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** What depends on a future runs before its completion returns, and may itself be what closes: so this only looks. */
    private static void awaitHandOver(final List<Call> calls) {
        final List<Call> decided =
                calls.stream().filter(call -> call.outcome().isDone()).toList();
        final long startedNanos = System.nanoTime();
        if (!await(decided, Call::handedOver, HAND_OVER)) {
            logger.warn("Closing: the completion executor does not take the results of transactions");
            return;
        }
        while (decided.stream().anyMatch(call -> !call.result().isDone())
                && System.nanoTime() - startedNanos < HAND_OVER.toNanos()
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(HAND_OVER_LOOK_NANOS);
        }
    }
}
