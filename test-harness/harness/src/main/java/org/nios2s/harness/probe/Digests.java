// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.wire.LargeContent;
import org.nios2s.harness.nifi.NifiInstance;

/**
 * Compares what the sink got with what was sent, by SHA-256. Used on the command's thread.
 */
final class Digests implements Probe {

    private static final String FILE = "digests.txt";
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final NifiInstance nifi;
    private final LoadSettings load;
    private final BooleanSupplier interrupted;
    private Path file;

    Digests(final NifiInstance nifi, final LoadSettings load, final BooleanSupplier interrupted) {
        this.nifi = nifi;
        this.load = load;
        this.interrupted = interrupted;
    }

    @Override
    public void before(final Map<String, Double> figures) {
        file = nifi.keepDigests(FILE);
    }

    @Override
    public void after(final LoadOutcome outcome, final Map<String, Double> figures) {
        final Map<String, String> sent = LargeContent.digests(outcome.run(), load);
        try {
            Awaitility.await()
                    .pollInterval(POLL)
                    .atMost(PATIENCE)
                    .until(() ->
                            interrupted.getAsBoolean() || arrived(outcome.run()).size() >= outcome.successes());
        } catch (final ConditionTimeoutException e) {
            // What has not arrived by now is missing among the equal ones.
            figures.put("different", 0.0);
        }
        final Map<String, String> arrived = arrived(outcome.run());
        final long equal = sent.entrySet().stream()
                .filter(entry -> entry.getValue().equals(arrived.get(entry.getKey())))
                .count();
        figures.put("equal", (double) equal);
        figures.put("different", (double) arrived.size() - equal);
    }

    private Map<String, String> arrived(final String run) {
        final Map<String, String> found = new TreeMap<>();
        try {
            final String text = Files.exists(file) ? Files.readString(file) : "";
            text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .filter(line -> line.startsWith(run + "-"))
                    .map(line -> line.split(" "))
                    .forEach(words -> found.put(words[0], words[1]));
            return found;
        } catch (final IOException e) {
            throw new HarnessException("Cannot read the sink's digests " + file, e);
        }
    }
}
