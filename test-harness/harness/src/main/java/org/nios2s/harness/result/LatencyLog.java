// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.nios2s.harness.load.Phase;

/**
 * The times of a run in HdrHistogram's log format: a line per second and phase, the phase as its tag, values in
 * microseconds. Kept in memory until the run has ended, so that no disk disturbs it. For one thread at a time.
 */
public final class LatencyLog {

    private static final double MICROS_PER_MILLI = TimeUnit.MILLISECONDS.toMicros(1);
    private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

    private final Instant started;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final HistogramLogWriter writer = new HistogramLogWriter(bytes);

    public LatencyLog(final Instant started) {
        this.started = started;
        writer.outputComment("[Values in microseconds; interval max in milliseconds; the tag is the phase]");
        writer.outputLogFormatVersion();
        writer.outputStartTime(started.toEpochMilli());
        writer.setBaseTime(started.toEpochMilli());
        writer.outputLegend();
    }

    public void add(final Instant from, final Instant to, final Map<Phase, Histogram> times) {
        times.forEach((phase, histogram) -> {
            if (histogram.getTotalCount() > 0) {
                histogram.setTag(phase.name().toLowerCase(Locale.ROOT));
                writer.outputIntervalHistogram(seconds(from), seconds(to), histogram, MICROS_PER_MILLI);
            }
        });
    }

    public void write(final Path file) throws IOException {
        Files.write(file, bytes.toByteArray());
    }

    private double seconds(final Instant moment) {
        return Duration.between(started, moment).toMillis() / MILLIS_PER_SECOND;
    }
}
