// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.Direction;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Packet;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionException;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.integration.OwnNifi;
import org.nios2s.integration.SharedNifi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batching senders go on while NiFi is killed: whatever was acknowledged is in the ledger, twice only where the outcome of
 * its transaction was unknown. The test's thread kills; a thread per sender gives packets at a steady pace.
 *
 * <p>{@code -Dbatching.kills=20} kills it so often, for no longer than {@code -Dbatching.minutes=20}; standard is once.
 * {@code -Dbatching.in-doubt="0 secs"} has NiFi remember no packets, {@code -Dbatching.until=sent} no longer than until the answer has
 * left. {@code -Dbatching.listener=stock} has the stock listener serve. {@code -Dbatching.nodes=3} kills the nodes of such a cluster
 * in turn. {@code -Dbatching.senders=4} has so many send again.
 */
@Tag("full")
class BatchingSenderKillsIT {
    private static final Logger logger = LoggerFactory.getLogger(BatchingSenderKillsIT.class);

    private static final int KILLS = Integer.getInteger("batching.kills", 1);
    private static final Duration LONGEST = Duration.ofMinutes(Integer.getInteger("batching.minutes", 60));
    private static final String IN_DOUBT = System.getProperty("batching.in-doubt", "10 mins");
    private static final String UNTIL = System.getProperty("batching.until", "heard");
    private static final Listener LISTENER =
            Listener.valueOf(System.getProperty("batching.listener", "nio").toUpperCase(Locale.ROOT));
    private static final int NODES = Integer.getInteger("batching.nodes", 1);
    private static final int SENDERS = Integer.getInteger("batching.senders", 1);
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration STANDSTILL = Duration.ofSeconds(5);
    private static final Duration PACE = Duration.ofMillis(10);
    private static final int PACKETS_AT_A_TIME = 5;
    private static final int BATCH = 20;
    private static final int MORE = 500;
    private static final int CONTENT_BYTES = 100;
    private static final String NEVER = "10000000";
    private static final String PACKET_IDS = "batching-kills.ids";

    private static NifiCluster nifis;

    @BeforeAll
    static void start() {
        nifis = NifiCluster.start(
                OwnNifi.options(SharedNifi.HOMES.resolve("batching-kills"))
                        .listener(LISTENER)
                        // A killed NiFi 2.3 forgets what it has swapped out since its last checkpoint.
                        .property("nifi.queue.swap.threshold", NEVER)
                        .property("nifi.remote.input.nio.in.doubt.time", IN_DOUBT)
                        .property("nifi.remote.input.nio.in.doubt.until", UNTIL),
                NODES);
        nifi().keepPacketIds(PACKET_IDS);
    }

    @AfterAll
    static void stop() {
        if (nifis != null) {
            nifis.close();
        }
    }

    private static NifiNode nifi() {
        return nifis.nodes().getFirst();
    }

    /** Gives packets to a batching sender and remembers how each ended. */
    private static final class Source implements AutoCloseable {
        private final String name;
        private final SiteToSite site;
        private final BatchingSender sender;
        private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);
        private final ScheduledFuture<?> giving;
        private final AtomicLong given = new AtomicLong();
        private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        private final Set<String> inDoubt = ConcurrentHashMap.newKeySet();
        private final Set<String> refused = ConcurrentHashMap.newKeySet();
        private final LongAdder safeRetries = new LongAdder();
        private final LongAdder doubtfulRetries = new LongAdder();
        private volatile boolean isPaused;

        Source(final String name, final RetryPolicy retry) {
            this.name = name;
            site = NioSiteToSite.builder()
                    .url(nifis.nodes().stream()
                            .map(node -> node.info().api().replace("/nifi-api", "/nifi"))
                            .toArray(String[]::new))
                    .retry(retry.withDeliveryTimeout(PATIENCE)
                            .withBackoff(Duration.ofMillis(20), Duration.ofMillis(500)))
                    .reconnectBackoff(Duration.ofMillis(20), Duration.ofMillis(500))
                    .deadline(PATIENCE)
                    .observer(new ClientObserver() {
                        @Override
                        public void retrying(
                                final Direction direction,
                                final TransactionException failure,
                                final int attempts,
                                final Duration pause) {
                            (failure.isOutcomeUnknown() ? doubtfulRetries : safeRetries).increment();
                        }
                    })
                    .build();
            sender = site.inputPort(nifi().portId("input"))
                    .batching(BatchingOptions.standard()
                            .withMaxPackets(BATCH)
                            .withLinger(PACE)
                            .withMaxPending(MORE, MORE * 1_000));
            giving = thread.scheduleAtFixedRate(this::give, 0, PACE.toMillis(), TimeUnit.MILLISECONDS);
        }

        private void give() {
            if (isPaused) {
                return;
            }
            try {
                for (int i = 0; i < PACKETS_AT_A_TIME; i++) {
                    final String id = name + "-" + given.getAndIncrement();
                    sender.send(Packet.of(Map.of("packet.id", id), new byte[CONTENT_BYTES]))
                            .whenComplete((result, failure) -> settle(id, failure));
                }
            } catch (final InterruptedIOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void settle(final String id, final Throwable failure) {
            if (failure == null) {
                acknowledged.add(id);
            } else if (failure instanceof final TransactionException known && !known.isOutcomeUnknown()) {
                refused.add(id);
            } else {
                inDoubt.add(id);
            }
        }

        /** What is under way goes on. */
        void pause(final boolean pauses) {
            isPaused = pauses;
        }

        void awaitMore() {
            final int before = acknowledged.size();
            Awaitility.await().atMost(PATIENCE).until(() -> acknowledged.size() >= before + MORE);
        }

        /** Every packet that was given has ended when this returns. */
        @Override
        public void close() {
            giving.cancel(false);
            thread.shutdown();
            Awaitility.await().atMost(PATIENCE).until(thread::isTerminated);
            sender.close();
            site.close();
            assertEquals(
                    given.get(), acknowledged.size() + inDoubt.size() + refused.size(), "futures that did not end");
        }

        /** @return how many of its packets are in the ledger more than once */
        int judge(final Map<String, Integer> ledger) {
            final Set<String> lost = new TreeSet<>(acknowledged);
            lost.removeAll(ledger.keySet());
            assertEquals(Set.of(), lost, name + ": acknowledged and not in the ledger");
            refused.retainAll(ledger.keySet());
            assertEquals(Set.of(), refused, name + ": failed for certain and in the ledger");
            int again = 0;
            for (final Map.Entry<String, Integer> entry : ledger.entrySet()) {
                again += entry.getKey().startsWith(name) ? entry.getValue() - 1 : 0;
            }
            logger.info(
                    "{}: given {}, acknowledged {}, unknown {} of which {} arrived, attempts repeated {} and {} with an unknown"
                            + " outcome, duplicates {}",
                    name,
                    given,
                    acknowledged.size(),
                    inDoubt.size(),
                    inDoubt.stream().filter(ledger::containsKey).count(),
                    safeRetries,
                    doubtfulRetries,
                    again);
            return again;
        }
    }

    @Test
    void whatWasAcknowledgedIsInTheLedgerHoweverOftenNifiIsKilled() throws Exception {
        nifi().flow().stop(sink());
        final Source safe = new Source("safe", RetryPolicy.standard());
        final List<Source> persistent = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
            persistent.add(
                    new Source("persistent-" + i + "-", RetryPolicy.standard().acceptingDuplicates()));
        }
        final List<Source> all = new ArrayList<>(persistent);
        all.add(safe);
        int kills = 0;
        final long endNanos = System.nanoTime() + LONGEST.toNanos();
        try {
            while (kills < KILLS && System.nanoTime() - endNanos < 0) {
                all.forEach(Source::awaitMore);
                final NifiNode killed = nifis.nodes().get(kills % NODES);
                kills++;
                killed.kill();
                if (NODES > 1) {
                    all.forEach(Source::awaitMore);
                }
                // Otherwise the queue would have millions in the end.
                all.forEach(source -> source.pause(true));
                killed.startAgain();
                if (NODES == 1) {
                    // What a sink has dropped and not written yet would be lost with the next kill: so it waits in the
                    // queue.
                    nifi().flow().stop(sink());
                }
                all.forEach(source -> source.pause(false));
            }
            all.forEach(Source::awaitMore);
        } finally {
            all.forEach(Source::close);
        }
        final Map<String, Integer> ledger = ledger();
        assertEquals(0, safe.judge(ledger), "packets that were sent again though NiFi may have had them");
        int again = 0;
        for (final Source source : persistent) {
            assertEquals(0, source.inDoubt.size(), "packets that were given up in spite of the policy");
            final int ofSource = source.judge(ledger);
            assertTrue(
                    ofSource <= source.doubtfulRetries.sum() * BATCH,
                    ofSource + " duplicates of " + source.doubtfulRetries + " transactions with an unknown outcome");
            again += ofSource;
        }
        logger.info(
                "{} kills of {} nodes with {}, in doubt until {} for {}: {} packets in the ledger, {} twice",
                kills,
                NODES,
                LISTENER,
                UNTIL,
                IN_DOUBT,
                ledger.size(),
                again);
    }

    private static Component sink() {
        return nifi().flow().find(ComponentKind.PROCESSOR, "sink").orElseThrow();
    }

    private static long queued() {
        final Component port =
                nifi().flow().find(ComponentKind.INPUT_PORT, "input").orElseThrow();
        return new QueueClient(nifi().rest())
                .size(nifi().flow().findConnection(port, sink()).orElseThrow())
                .flowFiles();
    }

    /** @return how often each packet arrived */
    private static Map<String, Integer> ledger() throws IOException {
        nifi().flow().start(sink());
        Awaitility.await().atMost(PATIENCE).until(() -> queued() == 0);
        final AtomicLong size = new AtomicLong(-1);
        Awaitility.await().during(STANDSTILL).atMost(PATIENCE).until(() -> size.getAndSet(written()) == written());
        final Map<String, Integer> times = new HashMap<>();
        for (final NifiNode node : nifis.nodes()) {
            if (Files.exists(ids(node))) {
                Files.readAllLines(ids(node)).forEach(id -> times.merge(id, 1, Integer::sum));
            }
        }
        return times;
    }

    private static long written() throws IOException {
        long written = 0;
        for (final NifiNode node : nifis.nodes()) {
            written += Files.exists(ids(node)) ? Files.size(ids(node)) : 0;
        }
        return written;
    }

    private static Path ids(final NifiNode node) {
        return Path.of(node.info().files().ledger()).resolve(PACKET_IDS);
    }
}
