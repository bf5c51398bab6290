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
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.ClientStats;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.nifi.Deadline;
import org.nios2s.harness.result.RunResult.LedgerMetrics;
import org.nios2s.harness.sink.Parcel;

/** Compares what the server acknowledged with the parcels that its sink found. Used on the command's thread. */
record LedgerCheck(Map<Path, Long> from) {

    private static final Duration POLL = Duration.ofMillis(100);
    /** FlowFiles on their way through another NiFi may pause on a busy machine. */
    private static final int LONGER = 10;
    /** More sinks than a cluster has. */
    private static final int MAX_FILES = 1_000;

    /**
     * How a check waits for the ledger's last packets.
     *
     * @param still    a ledger without growth for this long is complete, if nothing is missing
     * @param patience the longest wait
     * @param giveUp   whether to end the wait at once
     * @param atWork   whether the server still holds FlowFiles that the sink has not taken, penalized ones included; it is
     *                 asked whenever the ledger seems complete
     * @param onGrowth hears whenever the ledger has grown
     */
    record Wait(Duration still, Duration patience, BooleanSupplier giveUp, BooleanSupplier atWork, Runnable onGrowth) {}

    /** Remembers where the file ends now, before a run. */
    static LedgerCheck before(final List<Path> parcels) {
        return new LedgerCheck(parcels.stream().collect(Collectors.toMap(Function.identity(), LedgerCheck::size)));
    }

    /**
     * Compares what was acknowledged with the ledger, once the ledger stands still and the server has no work left: a packet
     * that is there twice may be penalized, and a sink that takes long for a large FlowFile, or for many in one session,
     * writes nothing meanwhile.
     *
     * @param packets of a transaction
     * @param sent    the packet of an id as it was sent
     */
    LedgerMetrics compare(
            final LoadOutcome outcome, final int packets, final Function<PacketId, Parcel> sent, final Wait wait)
            throws InterruptedException {
        final Deadline deadline = Deadline.after(wait.patience());
        final LedgerMetrics metrics = count(outcome, packets, sent, awaitStandstill(wait.still(), deadline, wait));
        if (metrics.lost() == 0) {
            return metrics;
        }
        return count(outcome, packets, sent, awaitStandstill(wait.still().multipliedBy(LONGER), deadline, wait));
    }

    private LedgerMetrics count(
            final LoadOutcome outcome,
            final int packets,
            final Function<PacketId, Parcel> sent,
            final boolean settled) {
        final Count count = new Count(outcome.clients(), packets, sent);
        from.forEach((file, start) -> {
            count.nextFile();
            read(file, start, outcome.run(), settled, count);
        });
        return count.metrics(settled);
    }

    /**
     * Every line from the run's begin on has to be a record: of one that is not, nobody knows whether it was lost, damaged or
     * there twice. Only where the sink was not waited for may the last line be torn.
     */
    private static void read(
            final Path parcels, final long start, final String run, final boolean settled, final Count count) {
        if (size(parcels) < start) {
            throw damaged(parcels, "is shorter than when the run began");
        }
        if (!Files.exists(parcels)) {
            return;
        }
        final String prefix = run + "-";
        // What stands before the first end of a line belongs to an earlier run.
        final long before = Math.max(0, start - 1);
        try (FileChannel channel = FileChannel.open(parcels).position(before);
                InputStream bytes = Channels.newInputStream(channel);
                BufferedReader reader = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.US_ASCII))) {
            final Iterator<String> lines = reader.lines().skip(start - before).iterator();
            while (lines.hasNext()) {
                final Parcel parcel = Parcel.parse(lines.next());
                if (parcel == null && (settled || lines.hasNext())) {
                    throw damaged(parcels, "has a line that can't be read behind its byte " + start);
                }
                if (parcel != null && parcel.id().startsWith(prefix)) {
                    count.enter(parcel);
                }
            }
        } catch (final IOException | UncheckedIOException e) {
            throw new HarnessException("Cannot read the sink's parcels " + parcels, e);
        }
    }

    private static HarnessException damaged(final Path parcels, final String how) {
        return new HarnessException(
                "The sink's ledger %s %s, so nothing is known of the packets of this run: is its disk full, or did something else write to it? Measure again."
                        .formatted(parcels, how));
    }

    private boolean awaitStandstill(final Duration still, final Deadline deadline, final Wait wait)
            throws InterruptedException {
        long size = size();
        Deadline quiet = Deadline.after(still);
        while (!wait.giveUp().getAsBoolean() && !deadline.passed()) {
            if (quiet.passed()) {
                if (!wait.atWork().getAsBoolean()) {
                    return true;
                }
                quiet = Deadline.after(still);
            }
            Thread.sleep(POLL);
            final long now = size();
            if (now != size) {
                wait.onGrowth().run();
                size = now;
                quiet = Deadline.after(still);
            }
        }
        return false;
    }

    private long size() {
        return from.keySet().stream().mapToLong(LedgerCheck::size).sum();
    }

    private static long size(final Path file) {
        return HarnessException.attempt(
                e -> "Cannot read the size of the sink's parcels " + file,
                () -> Files.exists(file) ? Files.size(file) : 0);
    }

    /** Ticks packets off. Used on the command's thread. */
    private static final class Count {

        private static final int FIRST = 64;

        private final List<ClientStats> clients;
        private final int packets;
        private final Function<PacketId, Parcel> sent;
        /** By client and number of a packet, by which FlowFile of which file it came first; 0 for none yet. */
        private final long[][] seen;

        private int file;
        private long arrived;
        private long duplicated;
        private long unacknowledged;
        private long damaged;
        private String damage;

        Count(final List<ClientStats> clients, final int packets, final Function<PacketId, Parcel> sent) {
            this.clients = clients;
            this.packets = packets;
            this.sent = sent;
            this.seen = new long[clients.size()][];
        }

        /** The following entries are another sink's. */
        void nextFile() {
            file++;
        }

        void enter(final Parcel parcel) {
            final PacketId id = PacketId.parse(parcel.id());
            if (id == null || id.client() >= seen.length || id.packet() >= packets) {
                throw new HarnessException("The sink's ledger holds " + parcel.id() + ", which this run never sent");
            }
            final int index = Math.addExact(Math.multiplyExact(id.transaction(), packets), id.packet());
            final long by = parcel.flowFile() * MAX_FILES + file;
            final long first = firstSeen(id.client(), index, by);
            if (first == by) {
                // The same FlowFile, which the sink took again after its NiFi was killed.
                return;
            }
            final String difference = parcel.difference(sent.apply(id));
            if (difference != null) {
                damaged++;
                damage = difference;
            }
            if (first != 0) {
                duplicated++;
                return;
            }
            arrived++;
            if (!clients.get(id.client()).acknowledged().get(id.transaction())) {
                unacknowledged++;
            }
        }

        /** The earlier sighting of a packet; remembers this one if there was none. */
        private long firstSeen(final int client, final int index, final long by) {
            long[] of = seen[client];
            if (of == null || of.length <= index) {
                of = of == null ? new long[Math.max(FIRST, index + 1)] : Arrays.copyOf(of, 2 * index);
                seen[client] = of;
            }
            final long first = of[index];
            if (first == 0) {
                of[index] = by;
            }
            return first;
        }

        LedgerMetrics metrics(final boolean settled) {
            final long acknowledged =
                    clients.stream().mapToLong(ClientStats::successes).sum() * packets;
            final long lost = acknowledged - (arrived - unacknowledged);
            return new LedgerMetrics(acknowledged, arrived, lost, duplicated, unacknowledged, damaged, damage, settled);
        }
    }
}
