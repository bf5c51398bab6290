// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.load.Phase;

/** The log is one that HdrHistogram's own reader understands. Runs on the test's thread. */
class LatencyLogTest {

    @TempDir
    private Path directory;

    @Test
    void everyIntervalKeepsItsTimesAndItsPhase() throws IOException {
        final Instant start = Instant.parse("2026-11-21T10:00:00Z");
        final LatencyLog log = new LatencyLog(start);
        log.add(start, start.plusSeconds(1), Map.of(Phase.TOTAL, histogram(1_000), Phase.SEND, new Histogram(3)));
        log.add(start.plusSeconds(1), start.plusSeconds(2), Map.of(Phase.TOTAL, histogram(2_000)));
        final Path file = directory.resolve("latencies.hlog");
        log.write(file);

        try (HistogramLogReader reader = new HistogramLogReader(file.toFile())) {
            final Histogram first = (Histogram) reader.nextIntervalHistogram();
            final Histogram second = (Histogram) reader.nextIntervalHistogram();
            assertEquals("total", first.getTag());
            assertEquals(1_000, first.getMaxValue());
            assertEquals(start.plusSeconds(1).toEpochMilli(), second.getStartTimeStamp());
            assertEquals(2_000, second.getValueAtPercentile(50), 2);
            assertFalse(reader.hasNext());
        }
    }

    private static Histogram histogram(final long micros) {
        final Histogram histogram = new Histogram(3);
        histogram.recordValue(micros);
        return histogram;
    }
}
