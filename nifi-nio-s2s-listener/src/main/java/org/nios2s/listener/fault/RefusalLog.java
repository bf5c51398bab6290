// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.wire.LogText;
import org.nios2s.wire.ResponseCode;
import org.slf4j.Logger;

/**
 * Counts and logs the handshakes that were answered by a refusal: in each minute one line for each peer and code. Text from the wire is
 * escaped and cut. Thread-safe; written by IO workers.
 *
 * <p>A fleet that is refused as a whole would fill the log, so a minute has at most {@value #MAX_LINES} lines. Further peers are only
 * counted.
 */
public final class RefusalLog {
    /** The codes by which NiFi refuses a handshake. */
    public static final Set<ResponseCode> CODES =
            Collections.unmodifiableSet(EnumSet.range(ResponseCode.UNKNOWN_PORT, ResponseCode.UNAUTHORIZED));

    static final int MAX_LINES = 100;

    private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Logger logger;
    private final NanoClock clock;
    private final Map<ResponseCode, LongAdder> counts = new EnumMap<>(ResponseCode.class);

    /** The counts that were last told; guarded by this object's lock, as are the next fields. */
    private final Map<ResponseCode, Long> toldCounts = new EnumMap<>(ResponseCode.class);

    private final Set<Refused> toldThisMinute = new HashSet<>();
    private long minuteNanos;

    /** Each of these has at most one line a minute. */
    private record Refused(String peer, ResponseCode code) {}

    public RefusalLog(final Logger logger, final NanoClock clock) {
        this.logger = logger;
        this.clock = clock;
        this.minuteNanos = clock.nanoTime();
        for (final ResponseCode code : ResponseCode.values()) {
            counts.put(code, new LongAdder());
        }
    }

    /**
     * @param peer named in the line
     * @param key of the peer, whose connections share a line
     * @param code that it was answered
     * @param reason may be text from the wire
     */
    public void report(final Object peer, final String key, final ResponseCode code, final String reason) {
        counts.get(code).increment();
        if (logger.isInfoEnabled() && isFirst(new Refused(key, code))) {
            logger.info("{}: The handshake is refused: {} ({} {})", peer, LogText.of(reason), code.number(), code);
        }
    }

    private synchronized boolean isFirst(final Refused refused) {
        final long now = clock.nanoTime();
        if (now - minuteNanos >= INTERVAL_NANOS) {
            minuteNanos = now;
            toldThisMinute.clear();
        }
        return toldThisMinute.size() < MAX_LINES && toldThisMinute.add(refused);
    }

    /** @return the number of handshakes that were answered by the code since the start */
    public long count(final ResponseCode code) {
        return counts.get(code).sum();
    }

    /** Logs how many handshakes were refused since the last call, if any were. */
    public synchronized void logSummary() {
        final Map<ResponseCode, Long> more = new EnumMap<>(ResponseCode.class);
        for (final ResponseCode code : CODES) {
            final long now = count(code);
            final long before = toldCounts.getOrDefault(code, 0L);
            if (now > before) {
                more.put(code, now - before);
                toldCounts.put(code, now);
            }
        }
        if (!more.isEmpty()) {
            logger.info(
                    "Handshakes refused since the last summary: {}",
                    more.entrySet().stream()
                            .map(code -> code.getValue() + " " + code.getKey())
                            .collect(Collectors.joining(", ")));
        }
    }
}
