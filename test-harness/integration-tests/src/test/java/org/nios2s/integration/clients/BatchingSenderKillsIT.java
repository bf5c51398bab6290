// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
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
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.integration.SharedNifi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batching senders go on while NiFi is killed: whatever was acknowledged is in the ledger, twice only where the outcome of
 * its transaction was unknown. The test's thread kills; a thread per sender gives packets at a steady pace.
 *
 * <p>{@code -Dbatching.kills=20} kills it so often; standard is 1. {@code -Dbatching.in-doubt="0 secs"} has NiFi remember no packets.
 */
@Tag("full")
class BatchingSenderKillsIT {
    private static final Logger logger = LoggerFactory.getLogger(BatchingSenderKillsIT.class);

    private static final int KILLS = Integer.getInteger("batching.kills", 1);
    private static final String IN_DOUBT = System.getProperty("batching.in-doubt", "10 mins");
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration STANDSTILL = Duration.ofSeconds(5);
    private static final Duration PACE = Duration.ofMillis(10);
    private static final int PACKETS_AT_A_TIME = 5;
    private static final int BATCH = 20;
    private static final int MORE = 500;
    private static final int CONTENT_BYTES = 100;
    private static final String NEVER = "10000000";

    private static NifiNode nifi;
    private static Path ids;

    @BeforeAll
    static void start() throws IOException {
        nifi = NifiNode.start(new NifiOptions()
                .home(SharedNifi.HOMES.resolve("batching-kills"))
                .listener(Listener.NIO)
                .heap("1g")
                // A killed NiFi 2.3 forgets what it has swapped out since its last checkpoint.
                .property("nifi.queue.swap.threshold", NEVER)
                .property("nifi.remote.input.nio.in.doubt.time", IN_DOUBT)
                .property("nifi.remote.input.nio.in.doubt.until", "heard")
                .fresh(true)
                .stopOnExit(true));
        ids = nifi.keepPacketIds("batching-kills.ids");
        Files.write(ids, new byte[0]);
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.close();
        }
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

        Source(final String name, final RetryPolicy retry) {
            this.name = name;
            site = NioSiteToSite.builder()
                    .address(nifi.info().s2sHost(), nifi.info().s2sPort())
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
            sender = site.inputPort(nifi.portId("input"))
                    .batching(BatchingOptions.standard()
                            .withMaxPackets(BATCH)
                            .withLinger(PACE)
                            .withMaxPending(MORE, MORE * 1_000));
            giving = thread.scheduleAtFixedRate(this::give, 0, PACE.toMillis(), TimeUnit.MILLISECONDS);
        }

        private void give() {
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
        nifi.flow().stop(sink());
        final Source safe = new Source("safe", RetryPolicy.standard());
        final Source persistent =
                new Source("persistent", RetryPolicy.standard().acceptingDuplicates());
        try (safe;
                persistent) {
            for (int kill = 0; kill < KILLS; kill++) {
                safe.awaitMore();
                persistent.awaitMore();
                nifi.kill();
                nifi.startAgain();
                // What a sink has dropped and not written yet would be
                // lost with the next kill: so it waits in the queue.
                nifi.flow().stop(sink());
            }
            safe.awaitMore();
            persistent.awaitMore();
        }
        final Map<String, Integer> ledger = ledger();
        assertEquals(0, safe.judge(ledger), "packets that were sent again though NiFi may have had them");
        assertEquals(0, persistent.inDoubt.size(), "packets that were given up in spite of the policy");
        final int again = persistent.judge(ledger);
        assertTrue(
                again <= persistent.doubtfulRetries.sum() * BATCH,
                again + " duplicates of " + persistent.doubtfulRetries + " transactions with an unknown outcome");
        logger.info("{} kills, {} packets in the ledger", KILLS, ledger.size());
    }

    private static Component sink() {
        return nifi.flow().find(ComponentKind.PROCESSOR, "sink").orElseThrow();
    }

    private static long queued() {
        final Component port =
                nifi.flow().find(ComponentKind.INPUT_PORT, "input").orElseThrow();
        return new QueueClient(nifi.rest())
                .size(nifi.flow().findConnection(port, sink()).orElseThrow())
                .flowFiles();
    }

    /** @return how often each packet arrived */
    private static Map<String, Integer> ledger() throws IOException {
        nifi.flow().start(sink());
        Awaitility.await().atMost(PATIENCE).until(() -> queued() == 0);
        final AtomicLong size = new AtomicLong(-1);
        Awaitility.await()
                .during(STANDSTILL)
                .atMost(PATIENCE)
                .until(() -> size.getAndSet(Files.size(ids)) == Files.size(ids));
        final Map<String, Integer> times = new HashMap<>();
        final List<String> written = Files.readAllLines(ids);
        written.forEach(id -> times.merge(id, 1, Integer::sum));
        return times;
    }
}
