// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.wire.LogText;
import org.slf4j.Logger;

/**
 * Logs the faults of connections: at most one line a minute for each kind, with the number of faults that had no line; every
 * fault at DEBUG. Text from the wire is escaped and cut. Thread-safe.
 */
public final class FaultLog {
    private static final String LINE = "{}: {}; the connection is closed ({}{})";
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
     * @param peer named in the line
     * @param fault that closes its connection
     */
    public void report(final Object peer, final ConnectionFault fault) {
        final Entry entry = entries.get(fault.kind());
        entry.total.incrementAndGet();
        final long now = clock.nanoTime();
        final long last = entry.reportedNanos.get();
        if (now - last < INTERVAL_NANOS || !entry.reportedNanos.compareAndSet(last, now)) {
            entry.suppressed.incrementAndGet();
            if (logger.isDebugEnabled()) {
                logger.debug("{}: {}; the connection is closed", peer, LogText.of(reasonOf(fault)));
            }
            return;
        }
        final long suppressed = entry.suppressed.getAndSet(0);
        final String reason = LogText.of(reasonOf(fault));
        if (fault.kind().isOurs()) {
            logger.error(LINE, peer, reason, fault.kind(), countOf(suppressed), fault.getCause());
        } else {
            logger.warn(LINE, peer, reason, fault.kind(), countOf(suppressed));
        }
    }

    private static String countOf(final long suppressed) {
        if (suppressed == 0) {
            return "";
        }
        return ", and " + suppressed + " more since the last such line";
    }

    private static String reasonOf(final ConnectionFault fault) {
        final String message = String.valueOf(fault.getMessage());
        final Throwable cause = fault.getCause();
        if (cause == null || message.contains(String.valueOf(cause.getMessage()))) {
            return message;
        }
        return message + ": " + cause;
    }

    /** @return the number of faults of a kind since the start */
    public long count(final Kind kind) {
        return entries.get(kind).total.get();
    }

    /** The state of one kind. */
    private record Entry(AtomicLong reportedNanos, AtomicLong suppressed, AtomicLong total) {}
}
