// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.nifi.remote.protocol.DataPacket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.harness.nifi.SinkLedger;
import org.nios2s.harness.sink.Parcel;

/**
 * NiFi ends in mid-traffic and is started again: whatever it acknowledged is there, and nothing is there twice.
 * The tests' thread ends and starts a NiFi of its own while other threads push.
 */
@Order(Order.DEFAULT + 1)
class RestartIT {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int SENDERS = 8;
    private static final int PACKETS = 5;
    private static final int TRANSACTIONS_BEFORE = 200;
    private static final int TRANSACTIONS_AFTER = 50;

    private static NifiNode nifi;

    /** Every transaction has ids of its own: one that was not acknowledged is never sent again. */
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

    private final Queue<Exception> unexpected = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean ending = new AtomicBoolean();
    private final CountDownLatch startedAgain = new CountDownLatch(1);
    private final AtomicBoolean over = new AtomicBoolean();

    @BeforeAll
    static void start() {
        nifi = NifiNode.start(new NifiOptions()
                .home(SharedNifi.HOMES.resolve("restart"))
                .listener(Listener.NIO)
                .heap("512m")
                .fresh(true)
                .stopOnExit(true));
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.stop();
            assertTrue(NifiNode.attach(Path.of(nifi.info().files().home())).isEmpty());
        }
    }

    @Test
    void whatWasAcknowledgedBeforeAStopIsInTheLedgerAndNothingTwice() throws Exception {
        acrossAnEnd(NifiNode::stop, "stop");
    }

    @Test
    void whatWasAcknowledgedBeforeACrashIsInTheLedgerAndNothingTwice() throws Exception {
        acrossAnEnd(NifiNode::kill, "crash");
    }

    /** The end of a NiFi. */
    @FunctionalInterface
    private interface End {
        void of(NifiNode nifi);
    }

    private void acrossAnEnd(final End end, final String name) throws Exception {
        final Path parcels = nifi.keepParcels(name + ".parcels");
        Files.write(parcels, new byte[0]);
        final SinkLedger before = nifi.ledger();
        final NifiNodeInfo instance = nifi.info();
        // What the sink has dropped and not written yet would be lost with NiFi: so it waits in the queue.
        nifi.flow().stop(nifi.flow().find(ComponentKind.PROCESSOR, "sink").orElseThrow());

        final List<Future<?>> senders = new ArrayList<>();
        try (PushClient client = new PushClient(nifi, "input", false);
                ExecutorService threads = Executors.newFixedThreadPool(SENDERS)) {
            for (int sender = 0; sender < SENDERS; sender++) {
                final String sendersName = name + "-" + sender;
                senders.add(threads.submit(() -> send(client, sendersName)));
            }
            try {
                awaitAcknowledged(TRANSACTIONS_BEFORE);
                ending.set(true);
                end.of(nifi);
                final int atTheEnd = acknowledged.size() / PACKETS;
                nifi.startAgain();
                assertEquals(instance.ports(), nifi.info().ports());
                assertEquals(instance.s2sPort(), nifi.info().s2sPort());
                assertEquals(instance.api(), nifi.info().api());
                startedAgain.countDown();
                awaitAcknowledged(atTheEnd + TRANSACTIONS_AFTER);
            } finally {
                over.set(true);
                startedAgain.countDown();
            }
            for (final Future<?> sender : senders) {
                sender.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        }

        assertEquals(List.of(), List.copyOf(unexpected), "failures while NiFi ran");
        Awaitility.await().atMost(PATIENCE).until(() -> inputQueueIsEmpty(nifi));
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(before).count()
                        == Files.readAllLines(parcels).size());
        final Set<String> ids = new HashSet<>();
        for (final String line : Files.readAllLines(parcels)) {
            final Parcel received = Parcel.parse(line);
            final String id = received.id();
            assertNull(received.difference(Parcel.of(Map.of("packet.id", id), id.getBytes(US_ASCII))));
            assertTrue(ids.add(id), () -> "in the ledger twice: " + id);
        }
        final Set<String> lost = new HashSet<>(acknowledged);
        lost.removeAll(ids);
        assertTrue(lost.isEmpty(), () -> "acknowledged and not in the ledger: " + lost);
    }

    private void awaitAcknowledged(final int transactions) {
        Awaitility.await().atMost(PATIENCE).until(() -> acknowledged.size() >= transactions * PACKETS);
    }

    /** A transaction may fail from the end of NiFi on until one succeeds in the NiFi that was started again. */
    private void send(final PushClient client, final String sender) {
        boolean resumed = false;
        for (int transaction = 0; !over.get(); transaction++) {
            final List<String> ids = new ArrayList<>();
            final List<DataPacket> packets = new ArrayList<>();
            for (int packet = 0; packet < PACKETS; packet++) {
                final String id = sender + "-" + transaction + "-" + packet;
                ids.add(id);
                packets.add(PushClient.packet(Map.of("packet.id", id), id.getBytes(US_ASCII)));
            }
            final boolean again = startedAgain.getCount() == 0;
            try {
                client.push(packets);
                acknowledged.addAll(ids);
                resumed = again;
            } catch (final IOException | RuntimeException e) {
                if (!ending.get() || resumed) {
                    unexpected.add(e);
                    return;
                }
                awaitNextStart();
            }
        }
    }

    private void awaitNextStart() {
        try {
            if (!startedAgain.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("NiFi did not start again");
            }
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean inputQueueIsEmpty(final NifiNode nifi) {
        return new QueueClient(nifi.rest())
                        .size(nifi.flow()
                                .findConnection(
                                        SharedNifi.inputPort(nifi, "input"),
                                        nifi.flow()
                                                .find(ComponentKind.PROCESSOR, "sink")
                                                .orElseThrow())
                                .orElseThrow())
                        .flowFiles()
                == 0;
    }
}
