// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.Packet;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionException;
import org.nios2s.harness.nifi.BackPressure;
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
 * <p>{@code -Dbatching.nodes=3} tries it with a cluster, of which the last node is restarted and killed; standard is one NiFi.
 * The log says how long records had to wait.
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

    /** Gives records, gives again those whose outcome is unknown, and remembers how each ended. */
    private static final class Source implements AutoCloseable {
        private final SiteToSite site = SiteToSite.builder().url(urls()).build();
        private final BatchingSender sender = site.inputPort("input").batching(BatchingOptions.standard());
        private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);
        private final ScheduledFuture<?> giving;
        private final AtomicLong given = new AtomicLong();
        private final AtomicLong acknowledged = new AtomicLong();
        private final Set<String> doubtful = ConcurrentHashMap.newKeySet();
        private final Queue<String> again = new ConcurrentLinkedQueue<>();
        private final Queue<String> failures = new ConcurrentLinkedQueue<>();
        private final LongAccumulator longestMillis = new LongAccumulator(Math::max, 0);

        Source() {
            giving = thread.scheduleAtFixedRate(this::give, 0, PACE.toMillis(), TimeUnit.MILLISECONDS);
        }

        private void give() {
            for (int i = 0; i < RECORDS_AT_A_TIME; i++) {
                final String doubted = again.poll();
                send(doubted == null ? "record-" + given.getAndIncrement() : doubted);
            }
        }

        private void send(final String id) {
            final long givenNanos = System.nanoTime();
            try {
                sender.send(Packet.of(Map.of(ID, id), new byte[CONTENT_BYTES])).whenComplete((result, failure) -> {
                    longestMillis.accumulate(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - givenNanos));
                    settle(id, failure);
                });
            } catch (final InterruptedIOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void settle(final String id, final Throwable failure) {
            if (failure == null) {
                acknowledged.incrementAndGet();
            } else if (failure instanceof final TransactionException known && known.isOutcomeUnknown()) {
                doubtful.add(id);
                again.add(id);
            } else {
                failures.add(failure.toString());
            }
        }

        void awaitMore() {
            final long before = acknowledged.get();
            Awaitility.await().atMost(PATIENCE).until(() -> acknowledged.get() >= before + MORE);
        }

        /** What happened since the last time is logged. */
        void tell(final String happened) {
            logger.info(
                    "{} of {}: given {}, acknowledged {}, unknown {}, failed {}, longest wait {} ms",
                    happened,
                    NODES,
                    given,
                    acknowledged,
                    doubtful.size(),
                    failures.size(),
                    longestMillis.getThenReset());
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
            source.tell("without a fault");
            last.stop();
            last.startAgain();
            source.awaitMore();
            source.tell("restarted");
            first().flow().setBackPressure(queue(), new BackPressure(1, 0));
            final long fullSince = System.nanoTime();
            Awaitility.await().atMost(FULL.plus(PATIENCE)).until(() -> System.nanoTime() - fullSince > FULL.toNanos());
            first().flow().setBackPressure(queue(), BackPressure.generous());
            source.awaitMore();
            source.tell("full for " + FULL.toSeconds() + " s");
            last.kill();
            last.startAgain();
            source.awaitMore();
        }
        source.tell("killed");
        assertEquals(Set.of(), new HashSet<>(source.failures), "failures");
        judge(source);
    }

    private static void judge(final Source source) throws IOException {
        first().flow().start(sink());
        final Map<String, Integer> arrived = ledgers(source.given.get());
        final Set<String> twice = new TreeSet<>();
        arrived.forEach((id, times) -> {
            if (times > 1) {
                twice.add(id);
            }
        });
        logger.info(
                "{} nodes: {} records given, {} arrived, {} of {} in doubt twice",
                NODES,
                source.given,
                arrived.size(),
                twice.size(),
                source.doubtful.size());
        assertEquals(source.given.get(), arrived.size(), "records that arrived");
        twice.removeAll(source.doubtful);
        assertEquals(Set.of(), twice, "records that arrived twice although their outcome was known");
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
            final Path ids = Path.of(node.info().ledger()).resolve(IDS);
            if (Files.exists(ids)) {
                Files.readAllLines(ids).forEach(id -> times.merge(id, 1, Integer::sum));
            }
        }
        return times;
    }
}
