// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.ClientStats;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.nifi.Deadline;
import org.nios2s.harness.result.RunResult.LedgerMetrics;

/** Compares what the server acknowledged with the packet ids that its sink wrote. Used on the command's thread. */
record LedgerCheck(Map<Path, Long> from) {

    private static final Duration POLL = Duration.ofMillis(100);
    /** What is on its way through another NiFi may pause on a busy machine. */
    private static final int LONGER = 10;

    /**
     * How a check waits for the ledger's last packets.
     *
     * @param still    a ledger without growth for this long is complete, if nothing is missing
     * @param patience the longest wait
     * @param giveUp   whether to end the wait at once
     * @param atWork   whether the server still holds FlowFiles that the sink has not taken; it is asked only while packets
     *                 are missing
     * @param onGrowth hears whenever the ledger has grown
     */
    record Wait(Duration still, Duration patience, BooleanSupplier giveUp, BooleanSupplier atWork, Runnable onGrowth) {}

    /** Remembers where the file ends now, before a run. */
    static LedgerCheck before(final List<Path> packetIds) {
        return new LedgerCheck(packetIds.stream().collect(Collectors.toMap(Function.identity(), LedgerCheck::size)));
    }

    /**
     * Compares what was acknowledged with the ledger, once the ledger stands still. While packets are missing, a ledger that
     * stands still is complete only when the server has no work left: a sink that takes long for a large FlowFile, or for
     * many in one session, writes nothing meanwhile.
     */
    LedgerMetrics compare(final LoadOutcome outcome, final int packets, final Wait wait) throws InterruptedException {
        final Deadline deadline = Deadline.after(wait.patience());
        final LedgerMetrics metrics =
                count(outcome, packets, awaitStandstill(wait.still(), deadline, () -> false, wait));
        if (metrics.lost() == 0) {
            return metrics;
        }
        final Duration longer = wait.still().multipliedBy(LONGER);
        return count(outcome, packets, awaitStandstill(longer, deadline, wait.atWork(), wait));
    }

    private LedgerMetrics count(final LoadOutcome outcome, final int packets, final boolean settled) {
        final Count count = new Count(outcome.clients(), packets);
        from.forEach((file, start) -> read(file, start, outcome.run(), count));
        return count.metrics(settled);
    }

    private static void read(final Path packetIds, final long start, final String run, final Count count) {
        if (!Files.exists(packetIds)) {
            return;
        }
        try (FileChannel channel = FileChannel.open(packetIds).position(start);
                InputStream bytes = Channels.newInputStream(channel);
                BufferedReader lines = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.US_ASCII))) {
            lines.lines()
                    .map(line -> PacketId.parse(run, line))
                    .filter(Objects::nonNull)
                    .forEach(count::enter);
        } catch (final IOException | UncheckedIOException e) {
            throw new HarnessException("Cannot read the sink's packet ids " + packetIds, e);
        }
    }

    private boolean awaitStandstill(
            final Duration still, final Deadline deadline, final BooleanSupplier atWork, final Wait wait)
            throws InterruptedException {
        long size = size();
        Deadline quiet = Deadline.after(still);
        while (!quiet.passed()) {
            if (wait.giveUp().getAsBoolean() || deadline.passed()) {
                return false;
            }
            Thread.sleep(POLL);
            final long now = size();
            if (now != size) {
                wait.onGrowth().run();
                size = now;
                quiet = Deadline.after(still);
            } else if (atWork.getAsBoolean()) {
                quiet = Deadline.after(still);
            }
        }
        return true;
    }

    private long size() {
        return from.keySet().stream().mapToLong(LedgerCheck::size).sum();
    }

    private static long size(final Path file) {
        return HarnessException.attempt(
                e -> "Cannot read the size of the sink's packet ids " + file,
                () -> Files.exists(file) ? Files.size(file) : 0);
    }

    /** Ticks packets off. Used on the command's thread. */
    private static final class Count {

        private final List<ClientStats> clients;
        private final int packets;
        private final BitSet[] seen;
        private long arrived;
        private long duplicated;
        private long unacknowledged;

        Count(final List<ClientStats> clients, final int packets) {
            this.clients = clients;
            this.packets = packets;
            this.seen = new BitSet[clients.size()];
        }

        void enter(final PacketId id) {
            if (id.client() >= seen.length || id.packet() >= packets) {
                throw new HarnessException("The sink's ledger holds " + id + ", which this run never sent");
            }
            if (seen[id.client()] == null) {
                seen[id.client()] = new BitSet();
            }
            final int index = Math.addExact(Math.multiplyExact(id.transaction(), packets), id.packet());
            if (seen[id.client()].get(index)) {
                duplicated++;
                return;
            }
            seen[id.client()].set(index);
            arrived++;
            if (!clients.get(id.client()).acknowledged().get(id.transaction())) {
                unacknowledged++;
            }
        }

        LedgerMetrics metrics(final boolean settled) {
            final long acknowledged =
                    clients.stream().mapToLong(ClientStats::successes).sum() * packets;
            final long lost = acknowledged - (arrived - unacknowledged);
            return new LedgerMetrics(acknowledged, arrived, lost, duplicated, unacknowledged, settled);
        }
    }
}
