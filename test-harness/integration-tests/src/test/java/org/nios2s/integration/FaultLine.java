// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nios2s.harness.nifi.NifiLog;

/**
 * The line in which our listener reports a peer's fault: one a minute for each kind.
 * Immutable, for any thread.
 *
 * @param time when
 * @param kind its kind
 * @param text all of it
 */
public record FaultLine(LocalDateTime time, String kind, String text) {

    private static final Pattern FAULT =
            Pattern.compile("^(\\S+ \\S+) WARN .*NioRemoteSiteListener .*the connection is closed \\(([A-Z_]+)[,)].*");
    private static final DateTimeFormatter LOG_TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS");

    /** How long a line stands for those that follow; lines are stamped a moment after the minute was measured. */
    static final Duration INTERVAL = Duration.ofSeconds(59);

    /** Every such line. */
    static List<FaultLine> of(final NifiLog log) {
        return log.lines().stream()
                .map(FaultLine::parse)
                .flatMap(Optional::stream)
                .toList();
    }

    /** Whether a fault of a kind that happened since a time is reported, by a line of its own or by one that stands for it. */
    public static boolean reports(final NifiLog log, final String kind, final LocalDateTime since) {
        final LocalDateTime oldest = since.minusMinutes(1);
        return of(log).stream().anyMatch(line -> line.kind.equals(kind) && line.time.isAfter(oldest));
    }

    private static Optional<FaultLine> parse(final String line) {
        final Matcher fault = FAULT.matcher(line);
        return fault.matches()
                ? Optional.of(new FaultLine(LocalDateTime.parse(fault.group(1), LOG_TIME), fault.group(2), line))
                : Optional.empty();
    }
}
