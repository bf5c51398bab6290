// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.nios2s.harness.result.RunResult.Disturbance;

/**
 * The CPU time of all processors of the machine so far, read from {@code /proc/stat}. Immutable; any thread.
 *
 * @param processors how many there are
 * @param busy       ticks in which they worked for someone here
 * @param stolen     ticks that the machine's host gave to others
 * @param all        ticks in all
 */
record MachineUse(int processors, long busy, long stolen, long all) {

    private static final Path STATISTICS = Path.of("/proc/stat");
    private static final Pattern ONE_PROCESSOR = Pattern.compile("cpu\\d+ .*");
    private static final int IDLE = 3;
    private static final int WAITING = 4;
    private static final int STOLEN = 7;
    private static final int FIELDS = 8;
    private static final double PERCENT = 100;

    /** Reads it now; null where there is no such file. */
    static MachineUse now() {
        try {
            return Files.isReadable(STATISTICS) ? of(Files.readAllLines(STATISTICS)) : null;
        } catch (final IOException e) {
            // Without it nothing can be said about the machine; the run is none the worse.
            return null;
        }
    }

    static MachineUse of(final List<String> lines) {
        // Fields: cpu, user, nice, system, idle, iowait, irq, softirq, steal; guests are part of user.
        final long[] ticks = Stream.of(lines.getFirst().strip().split("\\s+"))
                .skip(1)
                .limit(FIELDS)
                .mapToLong(Long::parseLong)
                .toArray();
        final long all = LongStream.of(ticks).sum();
        final int processors = (int) lines.stream()
                .filter(line -> ONE_PROCESSOR.matcher(line).matches())
                .count();
        return new MachineUse(processors, all - ticks[IDLE] - ticks[WAITING] - ticks[STOLEN], ticks[STOLEN], all);
    }

    /** The CPU time of other processes since then. */
    Disturbance since(final MachineUse before, final Duration own, final Duration wall) {
        final double ticks = Math.max(1, all - before.all);
        final double busyPercent = PERCENT * processors * (busy - before.busy) / ticks;
        final double stolenPercent = PERCENT * processors * (stolen - before.stolen) / ticks;
        final double ownPercent = PERCENT * own.toNanos() / Math.max(1, wall.toNanos());
        return new Disturbance(Math.max(0, busyPercent - ownPercent), stolenPercent);
    }
}
