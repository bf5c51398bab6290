// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.channel.SingleThreadEventLoop;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.time.NanoClock;

/**
 * The connections of one IO worker, and the regular check of their deadlines. Lives on that worker.
 *
 * <p>A check of every connection a few times a second costs less than a timer for every message.
 */
public final class WorkerConnections {
    /** How often deadlines are checked, which is how exactly they are kept. */
    public static final long CHECK_INTERVAL_MILLIS = 250;

    /** Netty's epoll asks for so many sockets that are ready at once, and for more only after it has got all of them. */
    private static final int SOCKETS_IN_A_LOOK = 4096;

    private final SingleThreadEventLoop worker;
    private final LongConsumer lateness;
    private final Set<MessageSequenceHandler> handlers = new HashSet<>();
    private final NanoClock clock;
    private long checkedNanos;

    /**
     * @param worker the IO worker
     * @param lateness takes the nanoseconds by which a check was late: the worker was busy with other things, or had no processor
     */
    public WorkerConnections(final SingleThreadEventLoop worker, final LongConsumer lateness, final NanoClock clock) {
        this.worker = worker;
        this.lateness = lateness;
        this.clock = clock;
        this.checkedNanos = clock.nanoTime();
    }

    void add(final MessageSequenceHandler handler) {
        handlers.add(handler);
    }

    void remove(final MessageSequenceHandler handler) {
        handlers.remove(handler);
    }

    /**
     * Looks after the deadlines of all connections: takes the time, then looks at all sockets, and then compares.
     *
     * <p>A worker that was busy, or had no processor, has not read yet what peers have sent meanwhile. Without the look its own delay
     * would pass for a peer's silence.
     */
    public void checkDeadlines() {
        final long now = clock.nanoTime();
        lateness.accept(Math.max(0, now - checkedNanos - TimeUnit.MILLISECONDS.toNanos(CHECK_INTERVAL_MILLIS)));
        afterLooks(
                1 + handlers.size() / SOCKETS_IN_A_LOOK,
                () -> Guarded.run("Looking after deadlines", () -> checkDeadlines(now)));
        checkedNanos = clock.nanoTime();
    }

    private void checkDeadlines(final long nowNanos) {
        // A copy: a connection that fails removes itself while this loop runs.
        List.copyOf(handlers).forEach(handler -> handler.checkDeadlines(nowNanos));
    }

    private void afterLooks(final int looks, final Runnable task) {
        if (looks == 0) {
            task.run();
        } else {
            afterLoopIteration(() -> afterLooks(looks - 1, task));
        }
    }

    /** Runs it once the IO worker has looked at all of its sockets: a plain task may run before that, for a second on end. */
    void afterLoopIteration(final Runnable task) {
        worker.executeAfterEventLoopIteration(() -> worker.execute(task));
    }

    /** @return when something last moved on a connection of each peer that named a port, as {@link System#nanoTime} */
    public Map<String, Long> lastProgressNanos() {
        final Map<String, Long> latestOfPeers = new HashMap<>();
        handlers.forEach(handler -> handler.reportLastProgress(latestOfPeers));
        return latestOfPeers;
    }

    /** Closes those connections that are idle: the listener drains. */
    public void closeIdle() {
        List.copyOf(handlers).forEach(MessageSequenceHandler::closeIfIdle);
    }

    /** Closes all connections at once. */
    public void closeAllNow() {
        List.copyOf(handlers).forEach(MessageSequenceHandler::closeNow);
    }
}
