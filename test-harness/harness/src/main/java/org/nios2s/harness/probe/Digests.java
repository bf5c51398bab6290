// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.wire.LargeContent;
import org.nios2s.harness.nifi.Deadline;
import org.nios2s.harness.nifi.NifiNode;

/** Compares what the sink got with what was sent, by SHA-256. Used on the command's thread. */
record Digests(NifiNode nifi, LoadSettings load, BooleanSupplier interrupted) implements Probe {

    private static final String FILE = "digests.txt";
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @Override
    public void before(final Map<String, Double> metrics) {
        nifi.keepDigests(FILE);
    }

    @Override
    public void after(final LoadOutcome outcome, final Map<String, Double> metrics) throws InterruptedException {
        final Map<String, String> sent = LargeContent.digests(outcome.run(), load);
        final Deadline deadline = Deadline.after(PATIENCE);
        Map<String, String> arrived = arrived(outcome.run());
        while (arrived.size() < outcome.successes() && !interrupted.getAsBoolean() && !deadline.passed()) {
            Thread.sleep(POLL);
            arrived = arrived(outcome.run());
        }
        final double equal =
                sent.entrySet().stream().filter(arrived.entrySet()::contains).count();
        metrics.put("equal", equal);
        metrics.put("different", arrived.size() - equal);
    }

    private Map<String, String> arrived(final String run) {
        final Path file = Path.of(nifi.info().files().ledger(), FILE);
        return HarnessException.attempt(e -> "Cannot read the sink's digests " + file, () -> {
            final String text = Files.exists(file) ? Files.readString(file) : "";
            return text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .filter(line -> line.startsWith(run + "-"))
                    .map(line -> line.split(" "))
                    .collect(Collectors.toMap(words -> words[0], words -> words[1], (earlier, later) -> later));
        });
    }
}
