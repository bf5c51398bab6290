// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.nios2s.listener.time.NanoClock;

/**
 * The connections of one IO worker, and the regular check of their deadlines. Lives on that worker.
 *
 * <p>A check of every connection a few times a second costs less than a timer for every message.
 */
public final class WorkerConnections {
    /** How often deadlines are checked, which is how exactly they are kept. */
    public static final long CHECK_INTERVAL_MILLIS = 250;

    private final LongConsumer lateness;
    private final Set<MessageSequenceHandler> handlers = new HashSet<>();
    private final NanoClock clock;
    private long checkedNanos;

    /**
     * @param lateness takes the nanoseconds by which a check was late: the worker was busy with other things, or had no processor
     */
    public WorkerConnections(final LongConsumer lateness, final NanoClock clock) {
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

    /** Looks after the deadlines of all connections. */
    public void checkDeadlines() {
        final long now = clock.nanoTime();
        lateness.accept(Math.max(0, now - checkedNanos - TimeUnit.MILLISECONDS.toNanos(CHECK_INTERVAL_MILLIS)));
        // A copy: a connection that fails removes itself while this loop runs.
        List.copyOf(handlers).forEach(handler -> handler.checkDeadlines(now));
        checkedNanos = clock.nanoTime();
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
