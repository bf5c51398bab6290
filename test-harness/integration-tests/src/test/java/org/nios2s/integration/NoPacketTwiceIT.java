// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Packet;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionResult;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.ConnectionEnd;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.RemoteGroupClient;
import org.nios2s.harness.nifi.RestClient;
import org.nios2s.harness.nifi.SinkLedger;
import org.nios2s.harness.sink.PacketPattern;
import org.nios2s.harness.sink.Parcel;
import org.nios2s.peers.Message;
import org.nios2s.peers.OneGoSocket;
import org.nios2s.peers.TestPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections are reset between confirmation and answer, and the peers send again: a Remote Process Group, NiFi's client, a peer that
 * writes as MiNiFi does, and our client. Each has NiFis of its own, whose peers are told of a proxy in place of their port. For one
 * thread. {@code -Dtwice.packets=100000} sends so many of each kind, {@code -Dtwice.stock=20000} so many to the stock listener.
 */
@Tag("full")
class NoPacketTwiceIT {
    private static final Logger logger = LoggerFactory.getLogger(NoPacketTwiceIT.class);

    private static final int PACKETS = Integer.getInteger("twice.packets", 4_000);
    private static final int PACKETS_TO_STOCK = Integer.getInteger("twice.stock", PACKETS);
    private static final double CUT = Double.parseDouble(System.getProperty("twice.cut", "0.02"));
    private static final String UNTIL = System.getProperty("twice.until", "heard");
    private static final int PACKETS_OF_A_TRANSACTION = 10;
    private static final int THREADS = 8;
    private static final int ALIKE = 10_000;
    private static final int LARGEST_BYTES = 2_000;
    private static final int PAUSE_MILLIS = 20;
    private static final Duration PATIENCE = Duration.ofMinutes(9);
    private static final String PORT = "input";

    private static Target ours;
    private static Target stock;

    /** A NiFi behind a proxy. */
    private record Target(NifiNode nifi, CuttingProxy proxy, InetSocketAddress address, Path parcels)
            implements AutoCloseable {
        static Target start(final Listener listener) throws IOException {
            final int port = freePort();
            final NifiNode nifi = NifiNode.start(OwnNifi.options(SharedNifi.HOMES.resolve("twice-" + listener))
                    .listener(listener)
                    .property("nifi.remote.input.nio.in.doubt.until", UNTIL)
                    // Of the transactions some are held in memory, and some are streamed.
                    .property("nifi.remote.input.nio.transaction.memory", "12 KB")
                    .property("nifi.remote.route.raw.cut.when", "true")
                    .property("nifi.remote.route.raw.cut.hostname", "127.0.0.1")
                    .property("nifi.remote.route.raw.cut.port", String.valueOf(port))
                    .property("nifi.remote.route.raw.cut.secure", "false"));
            return new Target(
                    nifi,
                    new CuttingProxy(port, nifi.info().s2sPort(), CUT),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    nifi.keepParcels("parcels.txt"));
        }

        private static int freePort() throws IOException {
            try (ServerSocket socket = new ServerSocket(0)) {
                return socket.getLocalPort();
            }
        }

        @Override
        public void close() {
            proxy.close();
            nifi.close();
        }
    }

    /** Sends packets until each is acknowledged. */
    private interface Sender {
        void send(Target target, List<Sent> packets) throws Exception;
    }

    /** A packet that is sent. */
    private record Sent(Map<String, String> attributes, byte[] content) {
        static List<Sent> some(final String name, final int count) {
            final Random random = new Random(name.hashCode());
            final List<Sent> packets = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                final byte[] content = new byte[random.nextInt(LARGEST_BYTES)];
                random.nextBytes(content);
                final Map<String, String> attributes = new LinkedHashMap<>();
                attributes.put(PacketPattern.ID, name + "-" + i);
                attributes.put("filename", name + "-" + i + ".bin");
                attributes.put("path", "./");
                attributes.put("attribute.1", "value of " + name + "-" + i);
                attributes.put("uuid", UUID.randomUUID().toString());
                packets.add(new Sent(attributes, content));
            }
            return packets;
        }
    }

    @BeforeAll
    static void start() throws IOException {
        ours = Target.start(Listener.NIO);
        stock = Target.start(Listener.STOCK);
    }

    @AfterAll
    static void stop() {
        for (final Target target : new Target[] {ours, stock}) {
            if (target != null) {
                target.close();
            }
        }
    }

    private static void compare(final String name, final Sender sender) throws Exception {
        final int duplicates = duplicatesOf(name, ours, Sent.some(name, PACKETS), sender);
        duplicatesOf(name, stock, Sent.some(name, PACKETS_TO_STOCK), sender);
        assertEquals(0, duplicates, "packets that arrived twice");
    }

    private static int duplicatesOf(
            final String name, final Target target, final List<Sent> packets, final Sender sender) throws Exception {
        final long sentNanos = System.nanoTime();
        final int cutsBefore = target.proxy.cuts();
        final double absorbedBefore = absorbed(target);
        sender.send(target, packets);
        final Map<String, Integer> times = new HashMap<>();
        Awaitility.await()
                .pollInterval(Duration.ofMillis(500))
                .atMost(PATIENCE)
                .until(() -> isAllThere(target, name, packets, times));
        int duplicates = 0;
        for (final int count : times.values()) {
            duplicates += count - 1;
        }
        logger.info(
                "{} to {}: {} packets in {} s, {} pushes cut, {} packets absorbed, {} twice, 0 lost",
                name,
                target.nifi.info().listener(),
                packets.size(),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - sentNanos),
                target.proxy.cuts() - cutsBefore,
                absorbed(target) - absorbedBefore,
                duplicates);
        return duplicates;
    }

    private static double absorbed(final Target target) {
        return target.nifi.metrics("SiteToSiteListener").getOrDefault("FlowFilesAbsorbed", 0.0);
    }

    /** Reads what has arrived, until nothing more does; each parcel is as it was sent. */
    private static boolean isAllThere(
            final Target target, final String name, final List<Sent> packets, final Map<String, Integer> times)
            throws Exception {
        final long size = Files.size(target.parcels);
        TimeUnit.SECONDS.sleep(2);
        if (Files.size(target.parcels) != size) {
            return false;
        }
        final Map<String, Parcel> sent = new HashMap<>();
        packets.forEach(packet ->
                sent.put(packet.attributes.get(PacketPattern.ID), Parcel.of(packet.attributes, packet.content)));
        times.clear();
        try (Stream<String> lines = Files.lines(target.parcels)) {
            lines.map(Parcel::parse)
                    .filter(parcel -> parcel != null && parcel.id().startsWith(name + "-"))
                    .forEach(parcel -> {
                        assertEquals(null, parcel.difference(sent.get(parcel.id())));
                        times.merge(parcel.id(), 1, Integer::sum);
                    });
        }
        return times.size() == packets.size();
    }

    /** Has threads send transactions, each again until it is acknowledged. */
    private static void inThreads(final List<Sent> packets, final Push push) throws Exception {
        final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            final AtomicInteger next = new AtomicInteger();
            final List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                ends.add(threads.submit(() -> {
                    for (int from = next.getAndAdd(PACKETS_OF_A_TRANSACTION);
                            from < packets.size();
                            from = next.getAndAdd(PACKETS_OF_A_TRANSACTION)) {
                        untilAcknowledged(
                                push, packets.subList(from, Math.min(packets.size(), from + PACKETS_OF_A_TRANSACTION)));
                    }
                    return null;
                }));
            }
            for (final Future<?> end : ends) {
                end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void untilAcknowledged(final Push push, final List<Sent> packets) throws InterruptedException {
        while (true) {
            try {
                push.push(packets);
                return;
            } catch (final IOException e) {
                logger.debug("Once more", e);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    private interface Push {
        void push(List<Sent> packets) throws IOException;
    }

    @Test
    void nifisClient() throws Exception {
        compare("nifi-client", (target, packets) -> {
            try (PushClient client = new PushClient(target.nifi, PORT, false)) {
                inThreads(packets, batch -> {
                    final List<DataPacket> data = batch.stream()
                            .map(packet -> PushClient.packet(packet.attributes, packet.content))
                            .toList();
                    client.push(data);
                });
            }
        });
    }

    @Test
    void peerThatWritesAsMinifiDoes() throws Exception {
        compare("minifi", (target, packets) -> {
            final Map<Thread, MinifiPeer> peers = new ConcurrentHashMap<>();
            try {
                inThreads(packets, batch -> {
                    final Thread own = Thread.currentThread();
                    try {
                        MinifiPeer peer = peers.get(own);
                        if (peer == null) {
                            peer = new MinifiPeer(target.address, target.nifi.portId(PORT));
                            peers.put(own, peer);
                        }
                        peer.push(batch);
                    } catch (final IOException e) {
                        final MinifiPeer broken = peers.remove(own);
                        if (broken != null) {
                            broken.close();
                        }
                        throw e;
                    }
                });
            } finally {
                for (final MinifiPeer peer : peers.values()) {
                    peer.close();
                }
            }
        });
    }

    @Test
    void packetsThatAreAllAlike() throws Exception {
        final Map<String, String> attributes =
                Map.of("uuid", "00000000-0000-0000-0000-000000000000", PacketPattern.ID, "alike");
        final List<Sent> alike = Stream.generate(() -> new Sent(attributes, new byte[100]))
                .limit(PACKETS_OF_A_TRANSACTION)
                .toList();
        final SinkLedger before = ours.nifi.ledger();
        final double absorbedBefore = absorbed(ours);
        final int s2sPort = ours.nifi.info().s2sPort();
        try (MinifiPeer peer = new MinifiPeer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), s2sPort), ours.nifi.portId(PORT))) {
            for (int i = 0; i < ALIKE; i += PACKETS_OF_A_TRANSACTION) {
                peer.push(alike);
            }
        }
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() ->
                        assertEquals(ALIKE, ours.nifi.ledger().since(before).count()));
        assertEquals(absorbedBefore, absorbed(ours));
    }

    /** Writes each field alone. */
    private static final class MinifiPeer extends TestPeer {
        MinifiPeer(final InetSocketAddress listener, final String portId) throws IOException {
            super(OneGoSocket.connect(listener));
            open(portId);
        }

        void push(final List<Sent> packets) throws IOException {
            push();
            for (final Sent packet : packets) {
                if (packet != packets.getFirst()) {
                    say(ResponseCode.CONTINUE_TRANSACTION);
                }
                for (final byte[] field : Message.packetFields(packet.attributes, packet.content.length)) {
                    say(field);
                }
                say(packet.content);
            }
            say(ResponseCode.FINISH_TRANSACTION);
            expect(ResponseCode.CONFIRM_TRANSACTION);
            confirm();
            final ResponseCode end = response().getCode();
            if (end != ResponseCode.TRANSACTION_FINISHED
                    && end != ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL) {
                throw new IOException("The transaction ended with " + end);
            }
        }
    }

    @Test
    void ourClient() throws Exception {
        compare("our-client", (target, packets) -> {
            try (SiteToSite site = NioSiteToSite.builder()
                            .address("127.0.0.1", target.address.getPort())
                            .retry(RetryPolicy.standard()
                                    .acceptingDuplicates()
                                    .withDeliveryTimeout(PATIENCE)
                                    .withBackoff(Duration.ofMillis(PAUSE_MILLIS), Duration.ofMillis(500)))
                            .deadline(PATIENCE)
                            .build();
                    BatchingSender sender = site.inputPort(target.nifi.portId(PORT))
                            .batching(BatchingOptions.standard().withMaxPackets(PACKETS_OF_A_TRANSACTION))) {
                final List<CompletableFuture<TransactionResult>> ends = new ArrayList<>();
                for (final Sent packet : packets) {
                    ends.add(sender.send(Packet.of(packet.attributes, packet.content))
                            .toCompletableFuture());
                }
                for (final CompletableFuture<TransactionResult> end : ends) {
                    end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                }
            }
        });
    }

    @Test
    void remoteProcessGroup() throws Exception {
        final NifiNode sending = SharedNifi.STOCK.get();
        compare("remote", (target, packets) -> {
            final FlowClient flow = sending.flow();
            final Component entry = flow.ensurePort(
                    ComponentKind.INPUT_PORT, "to-" + target.nifi.info().listener(), 1);
            final RemoteGroupClient groups = new RemoteGroupClient(sending.rest());
            final String group = groups.create(target.nifi.info());
            final ConnectionEnd remote = groups.port(group, ComponentKind.INPUT_PORT, PORT);
            limitBatch(sending, group, remote);
            yieldBriefly(sending, group);
            groups.connect(entry, remote, BackPressure.generous());
            flow.start(entry);
            try (PushClient client =
                    new PushClient(sending, "to-" + target.nifi.info().listener(), false)) {
                inThreads(
                        packets,
                        batch -> client.push(batch.stream()
                                .map(packet -> PushClient.packet(packet.attributes, packet.content))
                                .toList()));
            }
            groups.setTransmitting(group, true);
        });
    }

    /**
     * Has the group send few FlowFiles in a transaction, and several transactions at a time: without TCP_NODELAY each takes 80 ms.
     */
    private static void limitBatch(final NifiNode nifi, final String group, final ConnectionEnd port) {
        final String path = "/remote-process-groups/" + group + "/input-ports/" + port.id();
        final ObjectNode change =
                nifi.rest().get("/remote-process-groups/" + group).deepCopy();
        final ObjectNode entity = RestClient.object();
        entity.set("revision", change.required("revision"));
        final ObjectNode component = entity.putObject("remoteProcessGroupPort");
        component.put("id", port.id()).put("groupId", group).put("concurrentlySchedulableTaskCount", THREADS);
        component.putObject("batchSettings").put("count", PACKETS_OF_A_TRANSACTION);
        nifi.rest().put(path, entity);
    }

    /** Behind each failure a group rests: with NiFi's default of ten seconds 200 cuts would take half an hour. */
    private static void yieldBriefly(final NifiNode nifi, final String group) {
        final String path = "/remote-process-groups/" + group;
        final ObjectNode entity = RestClient.object();
        entity.set("revision", nifi.rest().get(path).required("revision"));
        entity.putObject("component").put("id", group).put("yieldDuration", "100 ms");
        nifi.rest().put(path, entity);
    }
}
