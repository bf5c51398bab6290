// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Reports peers' faults: at most one WARN line a minute for each kind, with the number of those it stands for; every
 * one at DEBUG. What peers have said is escaped and cut. Thread-safe.
 */
public final class FaultLog {
    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger logger;
    private final NanoClock clock;
    private final Map<Kind, Entry> entries = new EnumMap<>(Kind.class);

    public FaultLog(final Logger logger, final NanoClock clock) {
        this.logger = logger;
        this.clock = clock;
        final long before = clock.nanoTime() - INTERVAL_NANOS;
        for (final Kind kind : Kind.values()) {
            entries.put(kind, new Entry(new AtomicLong(before), new AtomicLong(), new AtomicLong()));
        }
    }

    /**
     * @param peer who, for the log
     * @param fault what and why
     */
    public void report(final Object peer, final ConnectionFault fault) {
        final Entry entry = entries.get(fault.kind());
        entry.total.incrementAndGet();
        final long now = clock.nanoTime();
        final long last = entry.reportedNanos.get();
        if (now - last < INTERVAL_NANOS || !entry.reportedNanos.compareAndSet(last, now)) {
            entry.silent.incrementAndGet();
            if (logger.isDebugEnabled()) {
                logger.debug("{}: {}; the connection is closed", peer, LogText.of(reasonOf(fault)));
            }
            return;
        }
        final long silent = entry.silent.getAndSet(0);
        logger.atLevel(fault.kind().isOurs() ? Level.ERROR : Level.WARN)
                .setCause(fault.kind().isOurs() ? fault.getCause() : null)
                .log(
                        "{}: {}; the connection is closed ({}{})",
                        peer,
                        LogText.of(reasonOf(fault)),
                        fault.kind(),
                        silent == 0 ? "" : ", and " + silent + " more since the last such line");
    }

    private static String reasonOf(final ConnectionFault fault) {
        final Throwable cause = fault.getCause();
        return cause == null || String.valueOf(fault.getMessage()).contains(String.valueOf(cause.getMessage()))
                ? String.valueOf(fault.getMessage())
                : fault.getMessage() + ": " + cause;
    }

    /** @return how many faults of a kind there were */
    public long count(final Kind kind) {
        return entries.get(kind).total.get();
    }

    /** What is known of one kind. */
    private record Entry(AtomicLong reportedNanos, AtomicLong silent, AtomicLong total) {}
}
