// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.HarnessException;

/**
 * Performance counters of a JVM of the same user, in the file that it keeps for tools such as {@code jstat}. To read it costs the JVM
 * nothing, and no further JVM is started for it. Immutable, any thread.
 *
 * @param values by name
 */
public record PerfCounters(Map<String, Long> values) {

    private static final int MAGIC = 0xcafec0c0;
    private static final int BYTE_ORDER = 4;
    private static final int FIRST_ENTRY = 24;
    private static final int ENTRIES = 28;
    private static final int NAME = 4;
    private static final int VECTOR_LENGTH = 8;
    private static final int TYPE = 12;
    private static final int VALUE = 16;
    private static final byte LONG = 'J';
    private static final String TICKS_PER_SECOND = "sun.os.hrt.frequency";
    private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

    public PerfCounters {
        values = Map.copyOf(values);
    }

    /** The counters at this moment. */
    public static PerfCounters of(final ProcessHandle process) {
        // Whatever java.io.tmpdir says, it is there.
        final Path file =
                Path.of("/tmp", "hsperfdata_" + System.getProperty("user.name"), Long.toString(process.pid()));
        return HarnessException.attempt(
                e -> "Cannot read the performance counters of a JVM: " + e,
                () -> parse(ByteBuffer.wrap(Files.readAllBytes(file))));
    }

    private static PerfCounters parse(final ByteBuffer file) {
        if (file.limit() < ENTRIES || file.getInt(0) != MAGIC) {
            throw new HarnessException("The performance counters of a JVM are of another form than that of JDK 21");
        }
        file.order(file.get(BYTE_ORDER) == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        final Map<String, Long> values = new HashMap<>();
        int entry = file.getInt(FIRST_ENTRY);
        for (int left = file.getInt(ENTRIES); left > 0; left--) {
            if (file.getInt(entry + VECTOR_LENGTH) == 0 && file.get(entry + TYPE) == LONG) {
                values.put(
                        text(file, entry + file.getInt(entry + NAME)),
                        file.getLong(entry + file.getInt(entry + VALUE)));
            }
            entry += file.getInt(entry);
        }
        return new PerfCounters(values);
    }

    private static String text(final ByteBuffer file, final int from) {
        int end = from;
        while (file.get(end) != 0) {
            end++;
        }
        return new String(file.array(), from, end - from, StandardCharsets.US_ASCII);
    }

    /** How long the pauses of all garbage collectors have taken together since the JVM was started. */
    public double gcMillis() {
        final long ticks = values.entrySet().stream()
                .filter(counter -> counter.getKey().matches("sun\\.gc\\.collector\\.\\d+\\.time"))
                .mapToLong(Map.Entry::getValue)
                .sum();
        return MILLIS_PER_SECOND * ticks / values.getOrDefault(TICKS_PER_SECOND, TimeUnit.SECONDS.toNanos(1));
    }
}
