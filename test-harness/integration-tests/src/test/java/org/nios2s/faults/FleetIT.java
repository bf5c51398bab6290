// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.faults.SteppingPeers.Line;
import org.nios2s.faults.SteppingPeers.Script;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.integration.OwnNifi;
import org.nios2s.integration.Peers;
import org.nios2s.integration.SharedNifi;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * As many peers at once as a fleet has, and one that takes more than its share. Runs on the thread of the tests, with an event loop for the
 * peers, against NiFis of its own. The log has the figures.
 */
@Tag("full")
@Isolated("it takes the whole machine")
class FleetIT {
    private static final Logger logger = LoggerFactory.getLogger(FleetIT.class);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final byte[] RESOURCE_OK = {20};
    private static final int KIB = 1024;
    private static final int MIB = KIB * KIB;
    private static final int MOST_TLS_HANDSHAKES = 50;
    private static final int MOST_HANDSHAKES = 1_000;
    /** As long as NiFi's client waits. */
    private static final int HANDSHAKE_SECONDS = 60;

    private static final String LIMITED = "127.0.0.3";

    private static NifiNode running;

    private static NifiNode nifi(final Listener listener) {
        if (running == null || !listener.name().equalsIgnoreCase(running.info().listener())) {
            stop();
            running = NifiNode.start(OwnNifi.options(SharedNifi.HOMES.resolve("fleet"))
                    .listener(listener)
                    // All of the heap is there from the start: what comes to resident memory later is something else.
                    .jvmArgument("-XX:+AlwaysPreTouch")
                    .property("nifi.remote.input.nio.handshakes.max", String.valueOf(MOST_HANDSHAKES))
                    .property("nifi.remote.input.nio.handshake.timeout", "60 secs")
                    .property("nifi.remote.input.nio.rate.limited.address", LIMITED)
                    .property("nifi.remote.input.nio.rate.limited.bytes", "1 MB"));
        }
        return running;
    }

    @AfterAll
    static void stop() {
        if (running != null) {
            running.close();
            running = null;
        }
    }

    private static String input(final NifiNode nifi) {
        return nifi.portId("input");
    }

    private static byte[] content(final int size) {
        final byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }

    /** Whatever the peer asks for, it does not wait for it: all up to its first request, and all the answers. */
    private static Line opening(final NifiNode nifi, final boolean gzip, final String expirationMillis) {
        return new Line(
                Message.opening(
                        input(nifi), "GZIP", String.valueOf(gzip), "REQUEST_EXPIRATION_MILLIS", expirationMillis),
                Message.all(RESOURCE_OK, Message.response(ResponseCode.PROPERTIES_OK), RESOURCE_OK));
    }

    private static double secondsSince(final long beganNanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos) / 1_000.0;
    }

    /** One packet in pieces of a KiB. */
    private static List<Line> slowPush(final NifiNode nifi, final int bytes) {
        final byte[] packet = Message.packet(Map.of(), content(bytes));
        final List<Line> lines = new ArrayList<>();
        lines.add(opening(nifi, false, "60000"));
        lines.add(Line.of(Message.utf("SEND_FLOWFILES")));
        for (int sent = 0; sent < packet.length; sent += KIB) {
            lines.add(Line.of(Arrays.copyOfRange(packet, sent, Math.min(packet.length, sent + KIB))));
        }
        lines.add(new Line(
                Message.response(ResponseCode.FINISH_TRANSACTION),
                Message.response(ResponseCode.CONFIRM_TRANSACTION, Message.checksum(packet))));
        lines.add(new Line(
                Message.response(ResponseCode.CONFIRM_TRANSACTION, ""),
                Message.response(ResponseCode.TRANSACTION_FINISHED)));
        return lines;
    }

    @ParameterizedTest
    @CsvSource({"3000, 12", "4000, 14"})
    void pushesThatAreAllUnderWayAtOnceComeToTheirEnd(final int pushes, final int kib) {
        final NifiNode nifi = nifi(Listener.NIO);
        final long beganNanos = System.nanoTime();
        final Script script = new Script(Duration.ofMillis(200), slowPush(nifi, kib * KIB), true);
        try (SteppingPeers peers = SteppingPeers.connect(pushes, Peers.address(nifi), script)) {
            Awaitility.await().atMost(PATIENCE).until(() -> peers.over() == pushes);
            logger.info(
                    "{} pushes of {} KiB at once: {} done in {} s, failed: {}",
                    pushes,
                    kib,
                    peers.finished(),
                    secondsSince(beganNanos),
                    peers.failures());
            assertEquals(Map.of(), peers.failures());
        }
    }

    /** The beginning of a chunk that does not deflate. */
    private static byte[] halfAChunk() {
        final byte[] chunk = Message.chunk(content(32 * KIB), true);
        return Arrays.copyOf(chunk, chunk.length / 2);
    }

    @Test
    void compressedPushesThatStallHoldNoMoreThanTheBudget() throws IOException {
        final int pushes = 2_000;
        final NifiNode nifi = nifi(Listener.NIO);
        final long before = Vitals.withoutHeap(nifi).residentBytes();
        final Script script = new Script(
                Duration.ofMillis(100),
                List.of(opening(nifi, true, "0"), Line.of(Message.utf("SEND_FLOWFILES")), Line.of(halfAChunk())),
                false);
        try (SteppingPeers peers = SteppingPeers.connect(pushes, Peers.address(nifi), script)) {
            Awaitility.await().atMost(PATIENCE).until(() -> peers.finished() == pushes);
            final long beganNanos = System.nanoTime();
            final long[] most = {before};
            try (TestPeer honest = Peers.atPort(nifi, input(nifi))) {
                assertEquals(ResponseCode.TRANSACTION_FINISHED, honest.push(Map.of(), content(100)));
            }
            final double honestSeconds = secondsSince(beganNanos);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> {
                        most[0] = Math.max(most[0], Vitals.withoutHeap(nifi).residentBytes());
                        return secondsSince(beganNanos) > 20;
                    });
            logger.info(
                    "{} compressed pushes stall: resident memory {} MiB before, at most {} MiB more; an honest push took {} s",
                    pushes,
                    before / MIB,
                    (most[0] - before) / MIB,
                    honestSeconds);
            assertTrue(most[0] - before < 214L * MIB, () -> (most[0] - before) / MIB + " MiB more");
        }
    }

    private static List<Line> handshake(final NifiNode nifi) {
        return List.of(
                Line.of(Message.magic()),
                new Line(Message.protocol(Message.NEWEST_VERSION), RESOURCE_OK),
                new Line(Message.handshake(input(nifi)), Message.response(ResponseCode.PROPERTIES_OK)));
    }

    /**
     * The processors are the limit here. All peers share one event loop, so there are only as many of them as it answers within the
     * time that a handshake may stand still.
     */
    @Test
    void tlsHandshakesThatUseUpAllProcessorsComeToTheirEnd() {
        final int clients = Integer.getInteger("fleet.tls.handshakes", 200);
        stop();
        try (NifiNode nifi = NifiNode.start(OwnNifi.options(SharedNifi.HOMES.resolve("fleet-tls"))
                .secure(true)
                .property("nifi.remote.input.nio.handshakes.max", String.valueOf(MOST_TLS_HANDSHAKES))
                .property("nifi.remote.input.nio.handshake.timeout", "60 secs"))) {
            final SslContext tls =
                    WireTls.client(nifi.security().tls(nifi.security().keyStore(Identity.CLIENT)));
            final long beganNanos = System.nanoTime();
            try (SteppingPeers peers = SteppingPeers.connect(
                    clients, Peers.address(nifi), new Script(Duration.ZERO, handshake(nifi), true), tls)) {
                Awaitility.await().atMost(PATIENCE).until(() -> peers.over() == clients);
                final double seconds = secondsSince(beganNanos);
                final Map<String, Double> metrics = nifi.metrics("SiteToSiteListener");
                logger.info(
                        "{} TLS clients at once: {} completed in {} s, failed: {}, cut off in their handshake: {}",
                        clients,
                        peers.finished(),
                        seconds,
                        peers.failures(),
                        metrics.get("Faults_HANDSHAKE_TIMEOUT").longValue());
                assertEquals(Map.of(), peers.failures());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Listener.class)
    void handshakesWithPausesBeyondTheLimitComeToTheirEnd(final Listener listener) {
        final int clients = Integer.getInteger("fleet.handshakes", 8_000);
        final NifiNode nifi = nifi(listener);
        final List<Line> lines = handshake(nifi);
        final Duration cpuBefore = nifi.usage().cpu();
        final long beganNanos = System.nanoTime();
        try (SteppingPeers peers =
                SteppingPeers.connect(clients, Peers.address(nifi), new Script(Duration.ofMillis(300), lines, true))) {
            final AtomicInteger threads = new AtomicInteger();
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(250))
                    .until(() -> {
                        threads.accumulateAndGet(nifi.usage().threads(), Math::max);
                        return peers.over() == clients || secondsSince(beganNanos) > HANDSHAKE_SECONDS;
                    });
            logger.info(
                    "{}: {} clients with 300 ms between their steps: {} completed in {} s, failed: {}, NiFi's processor time {} ms, most"
                            + " threads {}",
                    nifi.info().listener(),
                    clients,
                    peers.finished(),
                    secondsSince(beganNanos),
                    peers.failures(),
                    nifi.usage().cpu().minus(cpuBefore).toMillis(),
                    threads);
            if (listener == Listener.NIO) {
                assertEquals(clients, peers.finished(), () -> peers.failures().toString());
            }
        }
    }

    private static Socket socketFrom(final NifiNode nifi, final String address) throws IOException {
        final Socket socket = new Socket();
        socket.bind(new InetSocketAddress(address, 0));
        socket.connect(Peers.address(nifi));
        return socket;
    }

    /** One address that holds as many transactions as it gets, each of which moves just enough to pass for a slow one. */
    private static Attack abuser(final NifiNode nifi) {
        final byte[] aSecondsBytes = new byte[1_126];
        final byte[] beginning = Message.all(
                opening(nifi, false, "0").words(),
                Message.utf("SEND_FLOWFILES"),
                Message.packetHeader(Map.of(), 1L << 62),
                aSecondsBytes);
        return new Attack(
                "all permits", 50, Duration.ofSeconds(1), true, peer -> Attacks.thenForever(beginning, aSecondsBytes));
    }

    @Test
    void aPeerThatHoldsAllPermitsMakesRoomForAnother() throws IOException {
        final NifiNode nifi = nifi(Listener.NIO);
        final Attack abuser = abuser(nifi);
        try (AttackSwarm swarm = AttackSwarm.launch(abuser, Peers.address(nifi), true, false)) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> nifi.metrics("SiteToSiteListener").get("TransactionsInProgress") >= abuser.peers());
            for (int push = 0; push < 3; push++) {
                try (TestPeer honest = Peers.atPort(nifi, input(nifi))) {
                    final long beganNanos = System.nanoTime();
                    assertEquals(ResponseCode.TRANSACTION_FINISHED, honest.push(Map.of(), content(2 * MIB)));
                    logger.info(
                            "Beside one peer with {} connections at 1.1 KiB/s a push of 2 MiB took {} s; so far {} of them were cut off",
                            swarm.connected() - swarm.ended(),
                            secondsSince(beganNanos),
                            nifi.metrics("SiteToSiteListener")
                                    .get("Faults_SLOW_PEER")
                                    .longValue());
                }
            }
        }
    }

    @Test
    void aPeerWithARateGetsIt() throws IOException {
        final NifiNode nifi = nifi(Listener.NIO);
        try (TestPeer limited = Peers.atPort(new TestPeer(socketFrom(nifi, LIMITED)), input(nifi))) {
            // What it saved while it was idle is spent first.
            assertEquals(ResponseCode.TRANSACTION_FINISHED, limited.push(Map.of(), content(2 * MIB)));
            final int pushes = 15;
            final long beganNanos = System.nanoTime();
            for (int push = 0; push < pushes; push++) {
                assertEquals(ResponseCode.TRANSACTION_FINISHED, limited.push(Map.of(), content(MIB)));
            }
            final double rate = pushes / secondsSince(beganNanos);
            logger.info("A peer limited to 1 MiB/s moved {} MiB/s", rate);
            // However slow the machine is.
            assertTrue(rate < 1.1, () -> rate + " MiB/s");
        }
    }
}
