// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.nifi.remote.io.CompressionOutputStream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.port.RecordingPort;
import org.nios2s.peers.Message;

/**
 * Everything that peers share, against every way to keep it from others: one honest peer at one healthy port is served. Lives on the
 * test's thread, with a clock that the test sets.
 */
@DisplayName("One honest peer at a healthy port")
class SharedAmongPeersTest {
    private static final String[] OTHER_PORTS = {"other port", "third port"};
    private static final int HOSTILE = 8;
    private static final int MANY = 100;
    private static final int SMALL = 10_000;
    private static final int LARGE = 100_000;
    /** Twice as many as have memory. */
    private static final int FLEET = 64;

    private static final Duration PATIENCE = Duration.ofSeconds(6);
    private static final Duration STEP = Duration.ofMillis(250);
    private static final int MOST_TRIES = 80;
    private static final long MOST_MILLIS_FOR_A_STEP = 250;

    /** Only here does an honest peer wait for what others may hold, and the clock goes on. */
    private static final Set<String> WAITS =
            Set.of("AdmitTransactionStep", "AwaitMemoryStep", "AwaitSessionStep", "AwaitRoomStep");

    /** What is taken away, and how. */
    private enum Hostility {
        SILENT_IN_A_PLACE(HOSTILE, 10) {
            @Override
            void begin(final WirePeer peer) throws IOException {
                peer.open().push().out().writeInt(1);
            }
        },
        DRIPPING_IN_A_PLACE(HOSTILE, 10) {
            @Override
            void begin(final WirePeer peer) throws IOException {
                content(peer.open(), 10);
            }

            @Override
            void goOn(final WirePeer peer) throws IOException {
                peer.bytes((byte) 0).flush();
            }
        },
        STALLED_WHILE_STREAMING(MANY, LARGE) {
            @Override
            void begin(final WirePeer peer) throws IOException {
                content(peer.open("REQUEST_EXPIRATION_MILLIS", "0"), LARGE);
            }
        },
        DRIPPING_WHILE_STREAMING(MANY, LARGE) {
            @Override
            void begin(final WirePeer peer) throws IOException {
                content(peer.open("REQUEST_EXPIRATION_MILLIS", "0"), LARGE);
            }

            @Override
            void goOn(final WirePeer peer) throws IOException {
                peer.bytes((byte) 0).flush();
            }
        },
        ON_TWO_PORTS(MANY, LARGE) {
            @Override
            void begin(final WirePeer peer) throws IOException {
                content(peer.open("PORT_IDENTIFIER", OTHER_PORTS[peer.localPort() % 2]), LARGE);
            }

            @Override
            void goOn(final WirePeer peer) throws IOException {
                peer.bytes((byte) 0).flush();
            }
        },
        UNCONFIRMED(MANY, 10) {
            @Override
            void begin(final WirePeer peer) throws IOException {
                peer.open().push().packet(Map.of(), new byte[1]).say(ResponseCode.FINISH_TRANSACTION);
            }

            @Override
            void prepare(final RecordingPort healthy) {
                healthy.backPressure(HOSTILE);
            }
        },
        COMPRESSING_ZEROS(MANY, LARGE) {
            private final Map<WirePeer, DataOutputStream> compressed = new IdentityHashMap<>();

            @Override
            void begin(final WirePeer peer) throws IOException {
                peer.open("GZIP", "true", "REQUEST_EXPIRATION_MILLIS", "0").push();
                final DataOutputStream packet = new DataOutputStream(new CompressionOutputStream(peer.out()));
                packet.writeInt(0);
                packet.writeLong(Long.MAX_VALUE);
                packet.write(new byte[1_000_000]);
                compressed.put(peer, packet);
            }

            @Override
            void goOn(final WirePeer peer) throws IOException {
                compressed.get(peer).write(new byte[100_000]);
                peer.flush();
            }
        },
        CLAIMING_ZEROS(MANY, LARGE) {
            @Override
            void begin(final WirePeer peer) throws IOException {
                peer.open("GZIP", "true", "REQUEST_EXPIRATION_MILLIS", "0").push();
                peer.bytes(Message.chunk(Message.packetHeader(Long.MAX_VALUE), false))
                        .bytes(chunkOfNothing());
            }

            /** What was claimed takes a while to write. */
            @Override
            void prepare(final RecordingPort healthy) {
                healthy.beforeWrite(() -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5)));
            }
        },
        LARGE_ATTRIBUTES(MANY, LARGE) {
            @Override
            void begin(final WirePeer peer) throws IOException {
                peer.open("PORT_IDENTIFIER", OTHER_PORTS[peer.localPort() % 2]).push();
                peer.out().writeInt(25_000);
                for (int i = 0; i < 2_000; i++) {
                    peer.bytes(new byte[] {0, 0, 0, 4}).out().writeInt(i);
                    peer.bytes(new byte[] {0, 0, 0, 4}).out().writeInt(i);
                }
            }
        };

        private final int places;
        private final int honestBytes;

        Hostility(final int places, final int honestBytes) {
            this.places = places;
            this.honestBytes = honestBytes;
        }

        abstract void begin(WirePeer peer) throws IOException;

        /** Once a second. */
        void goOn(final WirePeer peer) throws IOException {}

        void prepare(final RecordingPort healthy) {}

        /** It claims to become eight megabytes, and is filled up with zeros. */
        private static byte[] chunkOfNothing() {
            return ByteBuffer.allocate(12)
                    .put(new byte[] {'S', 'Y', 'N', 'C'})
                    .putInt(8 * 1024 * 1024)
                    .putInt(0)
                    .array();
        }

        private static void content(final WirePeer peer, final int bytes) throws IOException {
            peer.push().out().writeInt(0);
            peer.out().writeLong(Long.MAX_VALUE);
            peer.bytes(new byte[bytes]);
        }
    }

    private final AtomicLong clock = new AtomicLong(System.nanoTime());

    private RunningListener listener(final int places, final String transactionMemory) throws Exception {
        return new RunningListener(
                RunningListener.Environment.plain(clock::get),
                "request.queue.size",
                String.valueOf(places),
                "streaming.transactions",
                "4",
                "transaction.memory",
                transactionMemory,
                "buffer.memory",
                "1 MB");
    }

    private static byte[] random(final int bytes) {
        final byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return content;
    }

    private static CompletableFuture<Void> push(final WirePeer peer, final byte[] content) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        peer.open()
                                .push()
                                .packet(Map.of(), content)
                                .say(ResponseCode.FINISH_TRANSACTION)
                                .expectConfirmation()
                                .confirm();
                        final ResponseCode answer =
                                ResponseCode.fromCode(peer.in().readNBytes(3)[2]);
                        if (answer != ResponseCode.TRANSACTION_FINISHED
                                && answer != ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL) {
                            throw new IOException("answered " + answer);
                        }
                    } catch (final Exception e) {
                        throw new CompletionException(e);
                    }
                },
                task -> Thread.ofVirtual().start(task));
    }

    /** A busy machine takes its time to serve a peer; the clock stands meanwhile. */
    private static boolean isDone(final CompletableFuture<Void> served, final RunningListener listener)
            throws Exception {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            try {
                served.get(MOST_MILLIS_FOR_A_STEP, TimeUnit.MILLISECONDS);
                return true;
            } catch (final TimeoutException e) {
                if (WAITS.contains(listener.firstStep())) {
                    return false;
                }
            }
        }
        return fail("still in " + listener.firstStep());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("is served within six seconds beside one that keeps from others what it can, and memory stays bounded")
    void besideOneHostilePeer(final Hostility hostility) throws Exception {
        final List<WirePeer> hostile = new ArrayList<>();
        try (RunningListener listener = listener(hostility.places, "64 KB");
                WirePeer honest = listener.connectFrom("127.0.0.9")) {
            RunningListener.awaiting().until(() -> listener.firstStep() != null);
            for (final String other : OTHER_PORTS) {
                listener.addInput(other);
            }
            hostility.prepare(listener.input());
            for (int i = 0; i < HOSTILE; i++) {
                final WirePeer peer = listener.connect();
                hostile.add(peer);
                hostility.begin(peer);
                peer.flush();
            }
            listener.passTime(clock, STEP);
            final CompletableFuture<Void> served = push(honest, random(hostility.honestBytes));
            for (Duration passed = Duration.ZERO; !isDone(served, listener); passed = passed.plus(STEP)) {
                assertTrue(passed.compareTo(PATIENCE) <= 0, "not served after " + passed);
                if (passed.toMillis() % 1_000 == 0) {
                    goOn(hostility, hostile);
                }
                listener.passTime(clock, STEP);
                assertTrue(listener.budget().used() <= listener.budget().bound(), "used more than the bound");
            }
            for (final WirePeer peer : hostile) {
                peer.close();
            }
        }
    }

    /** The listener may have cut some by now. */
    private static void goOn(final Hostility hostility, final List<WirePeer> hostile) {
        for (final WirePeer peer : hostile) {
            try {
                hostility.goOn(peer);
            } catch (final IOException e) {
                continue;
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"10, 64 KB", "100000, 64 KB", "100000, 256 KB"})
    @DisplayName("is served beside two ports under back pressure, at which nobody is cut")
    void besideBlockedPorts(final int bytes, final String transactionMemory) throws Exception {
        final List<WirePeer> waiting = new ArrayList<>();
        try (RunningListener listener = listener(MANY, transactionMemory);
                WirePeer honest = listener.connectFrom("127.0.0.9")) {
            RunningListener.awaiting().until(() -> listener.firstStep() != null);
            for (final String other : OTHER_PORTS) {
                final RecordingPort blocked = listener.addInput(other);
                final List<WirePeer> atPort = new ArrayList<>();
                for (int i = 0; i < HOSTILE; i++) {
                    atPort.add(listener.connectFrom("127.0.1." + (i + 1)).open("PORT_IDENTIFIER", other));
                }
                waiting.addAll(atPort);
                blocked.full(true);
                for (final WirePeer peer : atPort) {
                    peer.push()
                            .packet(Map.of(), random(bytes))
                            .say(ResponseCode.FINISH_TRANSACTION)
                            .flush();
                }
            }
            listener.passTime(clock, Duration.ofSeconds(5));
            final CompletableFuture<Void> served = push(honest, random(bytes));
            for (Duration passed = Duration.ZERO; !isDone(served, listener); passed = passed.plus(STEP)) {
                assertTrue(passed.compareTo(PATIENCE) <= 0, "not served after " + passed);
                listener.passTime(clock, STEP);
            }
            assertEquals(0, listener.metrics().get(Counter.FAULTS));
            for (final WirePeer peer : waiting) {
                peer.close();
            }
        }
    }

    @Test
    @DisplayName("with a small push is never cut for being slow, however many others wait for memory")
    void slowFleet() throws Exception {
        final List<WirePeer> fleet = new ArrayList<>();
        try (RunningListener listener = listener(FLEET, "64 KB")) {
            for (int i = 0; i < FLEET; i++) {
                final WirePeer peer = listener.connectFrom("127.1.0." + (i + 1)).open();
                fleet.add(peer);
                listener.awaitAllRead(i, peer.push().flush());
            }
            final int admitted = (int) listener.stepsNamed("ReceivePacketStep");
            assertEquals(FLEET - admitted, listener.stepsNamed("AdmitTransactionStep"));
            assertTrue(admitted < FLEET, "all have memory");
            for (final WirePeer peer : fleet.subList(0, admitted)) {
                peer.bytes(Message.packetHeader(SMALL));
            }
            for (Duration passed = Duration.ZERO; passed.compareTo(PATIENCE) < 0; passed = passed.plus(STEP)) {
                for (final WirePeer peer : fleet.subList(0, admitted)) {
                    peer.bytes((byte) 0).flush();
                }
                for (int i = 0; i < admitted; i++) {
                    listener.awaitAllRead(i, fleet.get(i));
                }
                listener.passTime(clock, STEP);
            }
            listener.assertNoFault();
            for (final WirePeer peer : fleet) {
                peer.close();
            }
        }
    }
}
