// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Packet;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionException;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.ClusterClient;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.integration.OwnNifi;
import org.nios2s.integration.SharedNifi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A batching sender as it is by default, by URL: NiFi is restarted, full for a minute, and killed, and every record arrives.
 * The test's thread does that to NiFi; a thread gives records at a steady pace.
 *
 * <p>{@code -Dbatching.nodes=3} tries it with a cluster, of which the last node is restarted and killed, and the coordinator is
 * restarted too; standard is one NiFi. The log says of each case what became of its records.
 */
@Tag("full")
class BatchingDefaultsIT {
    private static final Logger logger = LoggerFactory.getLogger(BatchingDefaultsIT.class);

    private static final int NODES = Integer.getInteger("batching.nodes", 1);
    private static final Duration FULL = Duration.ofSeconds(Integer.getInteger("batching.full.seconds", 60));
    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final Duration STANDSTILL = Duration.ofSeconds(5);
    private static final Duration PACE = Duration.ofMillis(10);
    private static final int RECORDS_AT_A_TIME = 5;
    private static final int MORE = 1_500;
    private static final int CONTENT_BYTES = 100;
    private static final String IDS = "batching-defaults.ids";
    private static final String NEVER = "10000000";
    private static final String ID = "packet.id";

    private static NifiCluster cluster;

    @BeforeAll
    static void start() {
        cluster = NifiCluster.start(
                OwnNifi.options(SharedNifi.HOMES.resolve("batching-defaults"))
                        .heap(NODES == 1 ? "1g" : "640m")
                        // A killed NiFi 2.3 forgets what it has swapped out since its last checkpoint.
                        .property("nifi.queue.swap.threshold", NEVER),
                NODES);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** What happens to NiFi, and what becomes of the records that are given meanwhile. Any thread. */
    private static final class Case {
        private final String name;
        private final AtomicLong given = new AtomicLong();
        private final Set<String> doubtful = ConcurrentHashMap.newKeySet();
        private final Queue<String> failures = new ConcurrentLinkedQueue<>();
        private final LongAccumulator longestMillis = new LongAccumulator(Math::max, 0);

        Case(final String name) {
            this.name = name;
        }

        Given next() {
            return new Given(this, name + " " + given.getAndIncrement());
        }

        boolean has(final String id) {
            return id.startsWith(name + " ");
        }
    }

    /**
     * A record.
     *
     * @param of the case in which it was given first
     * @param id by which the ledger knows it
     */
    private record Given(Case of, String id) {}

    /** Gives records, gives again those whose outcome is unknown, and remembers how each ended. */
    private static final class Source implements AutoCloseable {
        private final SiteToSite site = NioSiteToSite.builder().url(urls()).build();
        private final BatchingSender sender = site.inputPort("input").batching(BatchingOptions.standard());
        private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);
        private final ScheduledFuture<?> giving;
        private final AtomicLong acknowledged = new AtomicLong();
        private final List<Case> cases = new CopyOnWriteArrayList<>();
        private final Queue<Given> again = new ConcurrentLinkedQueue<>();

        Source() {
            cases.add(new Case("no fault"));
            giving = thread.scheduleAtFixedRate(this::give, 0, PACE.toMillis(), TimeUnit.MILLISECONDS);
        }

        private void give() {
            for (int i = 0; i < RECORDS_AT_A_TIME; i++) {
                final Given doubted = again.poll();
                send(doubted == null ? cases.getLast().next() : doubted);
            }
        }

        private void send(final Given record) {
            final long givenNanos = System.nanoTime();
            try {
                sender.send(Packet.of(Map.of(ID, record.id()), new byte[CONTENT_BYTES]))
                        .whenComplete((result, failure) -> {
                            record.of()
                                    .longestMillis
                                    .accumulate(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - givenNanos));
                            settle(record, failure);
                        });
            } catch (final InterruptedIOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void settle(final Given record, final Throwable failure) {
            if (failure == null) {
                acknowledged.incrementAndGet();
            } else if (failure instanceof final TransactionException known && known.isOutcomeUnknown()) {
                record.of().doubtful.add(record.id());
                again.add(record);
            } else {
                record.of().failures.add(failure.toString());
            }
        }

        void awaitMore() {
            final long before = acknowledged.get();
            Awaitility.await().atMost(PATIENCE).until(() -> acknowledged.get() >= before + MORE);
        }

        /** The records that are given from now on belong to another case. */
        void begin(final String happens) {
            cases.add(new Case(happens));
        }

        /** Every record has ended, and those in doubt have been given again, when this returns. */
        @Override
        public void close() {
            giving.cancel(false);
            thread.shutdown();
            Awaitility.await().atMost(PATIENCE).until(thread::isTerminated);
            sender.flush().join();
            while (!again.isEmpty()) {
                send(again.remove());
                sender.flush().join();
            }
            sender.close();
            site.close();
        }
    }

    private static String[] urls() {
        return cluster.nodes().stream()
                .map(node -> node.info().api().replace("/nifi-api", "/nifi"))
                .toArray(String[]::new);
    }

    private static NifiNode first() {
        return cluster.nodes().getFirst();
    }

    private static Component sink() {
        return first().flow().find(ComponentKind.PROCESSOR, "sink").orElseThrow();
    }

    private static Component queue() {
        final Component port =
                first().flow().find(ComponentKind.INPUT_PORT, "input").orElseThrow();
        return first().flow().findConnection(port, sink()).orElseThrow();
    }

    @Test
    void everyRecordArrives() throws Exception {
        first().keepPacketIds(IDS);
        // What a sink has dropped and not written yet would be lost with its node: so it waits in the queue.
        first().flow().stop(sink());
        final NifiNode last = cluster.nodes().getLast();
        final Source source = new Source();
        try (source) {
            source.awaitMore();
            source.begin("restarted");
            restart(last);
            source.awaitMore();
            if (NODES > 1) {
                source.begin("coordinator restarted");
                restart(coordinator());
                source.awaitMore();
            }
            source.begin("full for " + FULL.toSeconds() + " s");
            first().flow().setBackPressure(queue(), new BackPressure(1, 0));
            final long fullSince = System.nanoTime();
            Awaitility.await().atMost(FULL.plus(PATIENCE)).until(() -> System.nanoTime() - fullSince > FULL.toNanos());
            first().flow().setBackPressure(queue(), BackPressure.generous());
            source.awaitMore();
            source.begin("killed");
            last.kill();
            startAgain(last);
            source.awaitMore();
        }
        judge(source.cases);
    }

    private static void restart(final NifiNode node) {
        node.stop();
        startAgain(node);
    }

    private static void startAgain(final NifiNode node) {
        node.startAgain();
        if (NODES == 1) {
            // A single NiFi has its flow started by the harness.
            first().flow().stop(sink());
        } else {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() -> first().flow().connectedNodes() == NODES);
        }
    }

    private static NifiNode coordinator() {
        return cluster.nodes().stream()
                .filter(new ClusterClient(first())::isCoordinator)
                .findAny()
                .orElseThrow();
    }

    private static void judge(final List<Case> cases) throws IOException {
        first().flow().start(sink());
        final Map<String, Integer> arrived =
                ledgers(cases.stream().mapToLong(each -> each.given.get()).sum());
        for (final Case each : cases) {
            final List<String> twice = arrived.entrySet().stream()
                    .filter(record -> each.has(record.getKey()) && record.getValue() > 1)
                    .map(Map.Entry::getKey)
                    .toList();
            logger.info(
                    "{} nodes, {}: {} records given, {} arrived, {} failed, {} with an unknown outcome, {} twice, of these {}"
                            + " with an unknown outcome; the longest wait {} ms",
                    NODES,
                    each.name,
                    each.given,
                    arrived.keySet().stream().filter(each::has).count(),
                    each.failures.size(),
                    each.doubtful.size(),
                    twice.size(),
                    twice.stream().filter(each.doubtful::contains).count(),
                    each.longestMillis);
        }
        for (final Case each : cases) {
            assertEquals(List.of(), List.copyOf(each.failures), each.name + ": failures");
            assertEquals(
                    each.given.get(),
                    arrived.keySet().stream().filter(each::has).count(),
                    each.name + ": records that arrived");
            assertEquals(
                    Set.of(),
                    arrived.entrySet().stream()
                            .filter(record -> each.has(record.getKey()) && record.getValue() > 1)
                            .map(Map.Entry::getKey)
                            .filter(id -> !each.doubtful.contains(id))
                            .collect(Collectors.toSet()),
                    each.name + ": records that arrived twice although their outcome was known");
        }
    }

    /** @return how often each record is in the ledger of any node, when nothing more is written */
    private static Map<String, Integer> ledgers(final long expected) throws IOException {
        final AtomicLong size = new AtomicLong(-1);
        Awaitility.await().during(STANDSTILL).atMost(PATIENCE).until(() -> {
            final long now =
                    written().values().stream().mapToLong(Integer::longValue).sum();
            return size.getAndSet(now) == now && now >= expected;
        });
        return written();
    }

    private static Map<String, Integer> written() throws IOException {
        final Map<String, Integer> times = new HashMap<>();
        for (final NifiNode node : cluster.nodes()) {
            final Path ids = Path.of(node.info().files().ledger()).resolve(IDS);
            if (Files.exists(ids)) {
                Files.readAllLines(ids).forEach(id -> times.merge(id, 1, Integer::sum));
            }
        }
        return times;
    }
}
