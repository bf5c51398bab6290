// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;
import org.slf4j.LoggerFactory;

/**
 * A tenth of all conversations is cut at each of their steps, while packets of every kind are sent, batches are pulled,
 * and clients are closed. What a future says is then held against what the servers committed: OK means once, "took
 * nothing" means never, and an unknown outcome means once at most. {@code -Dfaults.sends=100000} makes it longer.
 */
class RandomFaultsTest {
    private static final int SENDS = Integer.getInteger("faults.sends", 6_000);
    private static final int AT_A_TIME = 48;
    private static final int SENDS_PER_CLIENT = 1_000;
    private static final double CUT = 0.1;
    private static final int KINDS = 9;
    private static final int RECORDS = 7;
    private static final String ID = "id";
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("org.nios2s");

    private final List<ScriptedServer> servers = new ArrayList<>();
    private final Map<String, Integer> commits = new ConcurrentHashMap<>();
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final Set<String> forgotten = ConcurrentHashMap.newKeySet();
    private final Map<String, CompletableFuture<TransactionResult>> outcomes = new ConcurrentHashMap<>();
    private final AtomicInteger names = new AtomicInteger();
    private final Semaphore places = new Semaphore(AT_A_TIME);
    private final Queue<Thread> closing = new ConcurrentLinkedQueue<>();
    private ScriptedSite site;

    /** Each cut is a warning. */
    @BeforeEach
    void beSilent() {
        LOGGER.setLevel(Level.OFF);
    }

    @AfterEach
    void speak() {
        LOGGER.setLevel(null);
    }

    @AfterEach
    void stop() throws IOException {
        for (final ScriptedServer server : servers) {
            server.close();
        }
        if (site != null) {
            site.close();
        }
    }

    private void start(final int nodes) throws IOException {
        for (int i = 0; i < nodes; i++) {
            final ScriptedServer server = new ScriptedServer();
            servers.add(server);
            for (final Moment moment : Moment.values()) {
                server.at(moment, wire -> {
                    record(server);
                    if (ThreadLocalRandom.current().nextDouble() < CUT) {
                        throw new EOFException("the connection is cut");
                    }
                    return false;
                });
            }
            server.insteadOfOffered(handshake -> Stream.generate(() -> "pulled-" + names.incrementAndGet())
                    .limit(ThreadLocalRandom.current().nextInt(4))
                    .map(name -> new Received(Map.of(ID, name), name.getBytes()))
                    .toList());
        }
        if (nodes > 1) {
            ScriptedServer.cluster(servers.get(0), 5, servers.get(1), 5);
            site = new ScriptedSite(servers.get(0).port());
        }
    }

    /** Notes what is new, and drops what a long run must not keep. */
    private void record(final ScriptedServer server) {
        for (Received packet = server.committed.poll(); packet != null; packet = server.committed.poll()) {
            names(packet).forEach(name -> commits.merge(name, 1, Integer::sum));
        }
        for (Received packet = server.forgotten.poll(); packet != null; packet = server.forgotten.poll()) {
            forgotten.add(packet.attributes().get(ID));
        }
        server.arrived.clear();
        server.heard.clear();
        server.handshakes.clear();
        server.commsIds.clear();
        server.transitUris.clear();
        server.cancellations.clear();
    }

    /** Of a packet of records each. */
    private static Stream<String> names(final Received packet) {
        final String count = packet.attributes().get("record.count");
        if (count == null) {
            return Stream.of(packet.attributes().get(ID));
        }
        final List<String> records = new String(packet.content()).lines().toList();
        assertEquals(Integer.parseInt(count), records.size());
        return records.stream();
    }

    /** A client that receives, too, until it is closed. */
    private final class Client {
        private final SiteToSite nifi;
        private final InputPort port;
        private final BatchingSender sender;
        private final RecordSender records;

        Client() {
            final SiteToSite.Builder builder = NioSiteToSite.builder()
                    .retry(RetryPolicy.standard().withBackoff(Duration.ofMillis(1), Duration.ofMillis(5)))
                    .reconnectBackoff(Duration.ofMillis(1), Duration.ofMillis(2))
                    .deliveryTimeout(Duration.ofSeconds(5));
            nifi = (site == null ? builder.address("127.0.0.1", servers.get(0).port()) : builder.url(site.url()))
                    .build();
            port = nifi.inputPort(site == null ? "port-id" : "in");
            final BatchingOptions few =
                    BatchingOptions.standard().withMaxPackets(5).withLinger(Duration.ofMillis(2));
            sender = port.batching(few);
            records = port.joining(RecordFraming.lines(), Map.of(), few);
            nifi.outputPort(site == null ? "port-id" : "out").receive(batch -> {
                final List<String> given = new ArrayList<>();
                for (final ReceivedPacket packet : batch) {
                    given.add(packet.attributes().get(ID));
                    assertEquals(packet.attributes().get(ID), new String(packet.bytes()));
                }
                handled.addAll(given);
            });
        }

        void close() {
            final Duration patience =
                    Duration.ofMillis(ThreadLocalRandom.current().nextInt(1_000));
            closing.add(Thread.ofPlatform().start(() -> nifi.close(patience)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatAFutureSaysIsWhatTheServersDid(final int nodes) throws Exception {
        start(nodes);
        final Random random = new Random();
        Client client = new Client();
        for (int i = 1; i <= SENDS; i++) {
            if (!places.tryAcquire(1, TimeUnit.MINUTES)) {
                break;
            }
            send(client, random.nextInt(KINDS), 1 + random.nextInt(3));
            if (i % SENDS_PER_CLIENT == 0) {
                // What is given to it from now on is refused, and what is under way ends.
                client.close();
                send(client, random.nextInt(KINDS), 1);
                client = new Client();
            }
        }
        client.close();
        for (final Thread thread : closing) {
            thread.join();
        }
        stop();
        servers.forEach(this::record);
        assertOutcomes();
    }

    private void assertOutcomes() {
        final AtomicInteger arrived = new AtomicInteger();
        final List<String> wrong = new ArrayList<>();
        outcomes.forEach((name, future) -> {
            final int times = commits.getOrDefault(name, 0);
            if (!future.isDone()) {
                wrong.add(name + " is not over");
            } else if (!future.isCompletedExceptionally()) {
                arrived.incrementAndGet();
                if (times != 1) {
                    wrong.add(name + " is OK, and was committed " + times + " times");
                }
            } else if (times > 1 || times == 1 && !isOutcomeUnknown(future)) {
                wrong.add(name + " was committed " + times + " times: " + Outcomes.failureOf(future));
            }
        });
        assertEquals(List.of(), wrong);
        assertTrue(arrived.get() > outcomes.size() / 2, arrived + " of " + outcomes.size() + " arrived");
        final Set<String> lost = ConcurrentHashMap.newKeySet();
        lost.addAll(forgotten);
        lost.removeAll(handled);
        assertEquals(Set.of(), lost);
        assertTrue(!forgotten.isEmpty());
    }

    private static boolean isOutcomeUnknown(final CompletableFuture<TransactionResult> future) {
        return future.exceptionNow() instanceof final TransactionException failure && failure.isOutcomeUnknown();
    }

    private void send(final Client client, final int kind, final int count) throws IOException {
        final List<Packet> packets = Stream.generate(() -> "sent-" + kind + "-" + names.incrementAndGet())
                .limit(count)
                .map(name -> packet(name, kind))
                .toList();
        if (kind == 0) {
            end(packets, client.port.send(packets.iterator()), new AtomicInteger(1));
        } else if (kind < 4) {
            end(packets, client.port.send(packets), new AtomicInteger(1));
        } else {
            final AtomicInteger left = new AtomicInteger(count);
            for (final Packet packet : packets) {
                end(List.of(packet), sendAlone(client, kind, packet), left);
            }
        }
    }

    private static CompletableFuture<TransactionResult> sendAlone(
            final Client client, final int kind, final Packet packet) throws IOException {
        return kind < RECORDS
                ? client.sender.send(packet)
                : client.records.send(packet.attributes().get(ID).getBytes());
    }

    /** Of bytes, a stream, or a supplier. */
    private static Packet packet(final String name, final int kind) {
        final byte[] content = name.getBytes();
        final Map<String, String> attributes = Map.of(ID, name);
        return switch (kind % 3) {
            case 0 -> Packet.of(attributes, content);
            case 1 -> Packet.ofStream(attributes, new ByteArrayInputStream(content), content.length);
            default -> Packet.ofSupplier(attributes, () -> new ByteArrayInputStream(content), content.length);
        };
    }

    private void end(
            final List<Packet> packets, final CompletableFuture<TransactionResult> sent, final AtomicInteger left) {
        for (final Packet packet : packets) {
            outcomes.put(packet.attributes().get(ID), sent);
        }
        sent.whenComplete((done, failure) -> {
            if (left.decrementAndGet() == 0) {
                places.release();
            }
        });
    }
}
