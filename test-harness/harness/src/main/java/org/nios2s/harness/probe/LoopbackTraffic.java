// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.nios2s.harness.load.LoadOutcome;

/**
 * Packets and bytes per transaction on this machine's loopback interface, TCP's own and those of everything else that runs there
 * included. Used on the command's thread.
 */
final class LoopbackTraffic implements Probe {

    private static final Path STATISTICS = Path.of("/proc/net/dev");
    private static final double KIBIBYTE = 1_024;

    private Optional<Count> before = Optional.empty();

    /**
     * The bytes that the interface has received so far, which are those that were sent.
     *
     * @param bytes   with the headers of TCP and IP
     * @param packets as the kernel counts them: one may be as large as 64 KiB here
     */
    record Count(long bytes, long packets) {

        private static final String NAME = "lo:";

        /** Of the lines of {@code /proc/net/dev}: {@code lo: bytes packets errors ...}. */
        static Optional<Count> of(final List<String> lines) {
            return lines.stream()
                    .map(String::strip)
                    .filter(line -> line.startsWith(NAME))
                    .map(line -> line.substring(NAME.length()).strip().split("\\s+"))
                    .map(fields -> new Count(Long.parseLong(fields[0]), Long.parseLong(fields[1])))
                    .findFirst();
        }
    }

    /** Whether traffic to a socket is on the interface; a host without an address is refused later, with its name. */
    static boolean leadsTo(final InetSocketAddress socket) {
        return !socket.isUnresolved() && socket.getAddress().isLoopbackAddress();
    }

    @Override
    public void before(final Map<String, Double> metrics) {
        before = now();
    }

    @Override
    public void after(final LoadOutcome outcome, final Map<String, Double> metrics) {
        now().ifPresent(after -> metrics.putAll(metrics(after, outcome.successes())));
    }

    private Map<String, Double> metrics(final Count after, final long transactions) {
        return before.map(first -> metrics(first, after, transactions)).orElse(Map.of());
    }

    static Map<String, Double> metrics(final Count before, final Count after, final long transactions) {
        return transactions == 0
                ? Map.of()
                : Map.of(
                        "net-packets", (double) (after.packets() - before.packets()) / transactions,
                        "net-kib", (after.bytes() - before.bytes()) / KIBIBYTE / transactions);
    }

    private static Optional<Count> now() {
        try {
            return Files.isReadable(STATISTICS) ? Count.of(Files.readAllLines(STATISTICS)) : Optional.empty();
        } catch (final IOException e) {
            // Without it nothing can be said of the network; the run is none the worse.
            return Optional.empty();
        }
    }
}
