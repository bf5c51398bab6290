// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.assertFails;
import static org.nios2s.client.Outcomes.each;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.transaction.Engine;

/** Pulls from a scripted server. */
class PullTest {
    private static final long SEED = 5;
    private static final int LARGE_BYTES = 4 << 20;

    private ScriptedServer server;
    private Engine engine;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        engine = new Engine();
    }

    @AfterEach
    void stop() throws IOException {
        engine.close();
        server.close();
    }

    private List<Received> offer(final int... sizes) {
        final Random random = new Random(SEED);
        final List<Received> packets = new ArrayList<>();
        for (final int size : sizes) {
            final byte[] content = new byte[size];
            random.nextBytes(content);
            packets.add(new Received(Map.of("size", "" + size), content));
        }
        server.offered.addAll(packets);
        return packets;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyPacketReachesTheReceiverAndThenThePeerMayForgetThem(final boolean compress) throws Exception {
        final List<Received> offered = offer(0, 1, 10, 70_000, LARGE_BYTES);
        final List<Received> received = new CopyOnWriteArrayList<>();
        final TransactionResult result =
                Outcomes.await(engine.pull(server.remotePort().withCompress(compress), each(packet -> {
                    assertEquals(0, server.finishedPulls.get());
                    received.add(
                            new Received(packet.attributes(), packet.content().readAllBytes()));
                })));
        assertEquals(5, result.packets());
        assertEquals(70_011 + LARGE_BYTES, result.bytes());
        for (int i = 0; i < offered.size(); i++) {
            assertEquals(offered.get(i).attributes(), received.get(i).attributes());
            assertArrayEquals(offered.get(i).content(), received.get(i).content());
        }
        await().until(() -> server.finishedPulls.get() == 1 && server.offered.isEmpty());
    }

    @Test
    void whatTheReceiverLeavesUnreadIsSkipped() throws Exception {
        offer(200_000, 5, 300_000);
        final List<Integer> firstBytes = new CopyOnWriteArrayList<>();
        Outcomes.await(engine.pull(
                server.remotePort(),
                each(packet -> firstBytes.add(packet.content().read()))));
        assertEquals(3, firstBytes.size());
    }

    @Test
    void nothingToPullIsAResultWithoutPacketsAndTheConnectionIsKept() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertEquals(
                    0,
                    Outcomes.await(engine.pull(server.remotePort(), each(packet -> {})))
                            .packets());
        }
        assertEquals(1, server.accepted.get());
    }

    @Test
    void aPullIsFollowedByAPushOnTheSameConnection() throws Exception {
        offer(3);
        Outcomes.await(engine.pull(server.remotePort(), each(packet -> {})));
        Outcomes.await(engine.push(server.remotePort(), List.of(Outcomes.packet("a"))));
        assertEquals(1, server.accepted.get());
    }

    @Test
    void aReceiverThatThrowsLeavesThePacketsWithThePeer() {
        offer(3, 4);
        final TransactionException failure = assertFails(
                engine.pull(server.remotePort(), each(packet -> {
                    throw new IllegalStateException("no room");
                })),
                TransactionStep.RECEIVE_PACKETS,
                FailureReason.HANDLER_FAILED);
        assertTrue(failure.getMessage().contains("no room"), failure.getMessage());
        await().until(() -> server.openConnections() == 0);
        assertEquals(0, server.finishedPulls.get());
        assertEquals(2, server.offered.size());
    }

    @Test
    void aChecksumThatThePeerRefusesFails() {
        offer(3);
        server.at(Moment.CONFIRM, ScriptedServer.answer(ResponseCode.BAD_CHECKSUM));
        assertFails(
                engine.pull(server.remotePort(), each(packet -> {})),
                TransactionStep.CONFIRM,
                FailureReason.BAD_CHECKSUM);
    }

    @ParameterizedTest
    @EnumSource(
            value = Moment.class,
            names = {"FIRST_PACKET", "CONFIRM"})
    void aPeerThatLeavesFailsThePull(final Moment moment) {
        offer(3);
        server.at(moment, ScriptedServer.hangUp());
        assertFails(
                engine.pull(server.remotePort(), each(packet -> {})),
                moment == Moment.CONFIRM ? TransactionStep.CONFIRM : TransactionStep.RECEIVE_PACKETS,
                FailureReason.CONNECTION_LOST);
    }

    @Test
    void aPeerThatLeavesInAPacketFailsThePullAtOnceAlsoWhenTheReceiverIsBusy() throws Exception {
        final CountDownLatch hold = new CountDownLatch(1);
        server.at(Moment.FIRST_PACKET, wire -> {
            wire.say(ResponseCode.MORE_DATA);
            wire.out.writeInt(0);
            wire.out.writeLong(1_000_000);
            wire.out.write(new byte[10]);
            wire.out.flush();
            throw new IOException("leaves");
        });
        final CompletableFuture<TransactionResult> result =
                engine.pull(server.remotePort(), each(packet -> hold.await()));
        assertFails(result, TransactionStep.RECEIVE_PACKETS, FailureReason.CONNECTION_LOST);
        hold.countDown();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void garbageInPlaceOfAPacketFailsThePull(final boolean compress) {
        server.at(Moment.FIRST_PACKET, wire -> {
            wire.say(ResponseCode.MORE_DATA);
            return ScriptedServer.garbage().happen(wire);
        });
        assertFails(
                engine.pull(server.remotePort().withCompress(compress), each(packet -> {})),
                TransactionStep.RECEIVE_PACKETS,
                FailureReason.PROTOCOL_VIOLATION);
    }

    @Test
    void aReceiverThatTakesTooLongMeetsTheDeadline() throws Exception {
        connect();
        offer(3);
        final CountDownLatch hold = new CountDownLatch(1);
        assertFails(
                engine.pull(server.remotePort(), each(packet -> hold.await()), hasty()),
                TransactionStep.RECEIVE_PACKETS,
                FailureReason.DEADLINE_EXCEEDED);
        hold.countDown();
        await().until(() -> server.openConnections() == 0);
        assertEquals(0, server.finishedPulls.get());
    }

    @Test
    void anErrorOfTheReceiverFailsThePullToo() {
        offer(3);
        assertFails(
                engine.pull(server.remotePort(), each(packet -> {
                    throw new AssertionError("not what it expects");
                })),
                TransactionStep.RECEIVE_PACKETS,
                FailureReason.HANDLER_FAILED);
    }

    /** A deadline of the pull that follows is then not for a handshake on a busy machine. */
    private void connect() throws Exception {
        Outcomes.await(engine.push(server.remotePort(), List.of(Outcomes.packet("connects"))));
    }

    private static CallOptions hasty() {
        return CallOptions.DEFAULTS.withDeadline(Outcomes.IMPATIENT);
    }

    private static TransactionStep stepAt(final Moment moment) {
        return moment == Moment.CONFIRM ? TransactionStep.CONFIRM : TransactionStep.RECEIVE_PACKETS;
    }

    @ParameterizedTest
    @EnumSource(
            value = Moment.class,
            names = {"FIRST_PACKET", "CONFIRM"})
    void aPeerThatSpeaksAnotherLanguageFailsThePullInItsStep(final Moment moment) {
        offer(3);
        server.at(moment, ScriptedServer.garbage());
        assertFails(
                engine.pull(server.remotePort(), each(packet -> {})), stepAt(moment), FailureReason.PROTOCOL_VIOLATION);
        await().until(() -> engine.openConnections() == 0);
        assertEquals(0, server.finishedPulls.get());
    }

    @ParameterizedTest
    @EnumSource(
            value = Moment.class,
            names = {"FIRST_PACKET", "CONFIRM"})
    void aPeerThatStallsFailsThePullAtItsDeadline(final Moment moment) throws Exception {
        connect();
        offer(3);
        server.at(moment, server.stall());
        assertFails(
                engine.pull(server.remotePort(), each(packet -> {}), hasty()),
                stepAt(moment),
                FailureReason.DEADLINE_EXCEEDED);
        await().until(() -> engine.openConnections() == 0);
        assertEquals(0, server.finishedPulls.get());
    }

    @Test
    void aPeerThatStallsInAPacketFailsThePullAndItsReceiver() throws Exception {
        connect();
        final CompletableFuture<Exception> heard = new CompletableFuture<>();
        server.at(Moment.FIRST_PACKET, wire -> {
            wire.say(ResponseCode.MORE_DATA);
            wire.out.writeInt(0);
            wire.out.writeLong(1_000_000);
            wire.out.write(new byte[10]);
            wire.out.flush();
            return server.stall().happen(wire);
        });
        assertFails(
                engine.pull(
                        server.remotePort(),
                        each(packet -> {
                            try {
                                packet.content().readAllBytes();
                            } catch (final IOException e) {
                                heard.complete(e);
                                throw e;
                            }
                        }),
                        hasty()),
                TransactionStep.RECEIVE_PACKETS,
                FailureReason.DEADLINE_EXCEEDED);
        await().until(heard::isDone);
    }

    @Test
    void aWordThatDoesNotBelongBetweenPacketsFailsThePull() {
        server.at(Moment.FIRST_PACKET, wire -> {
            wire.say(ResponseCode.MORE_DATA);
            wire.out.writeInt(0);
            wire.out.writeLong(0);
            wire.say(ResponseCode.PROPERTIES_OK);
            return true;
        });
        assertFails(
                engine.pull(server.remotePort(), each(packet -> {})),
                TransactionStep.RECEIVE_PACKETS,
                FailureReason.PROTOCOL_VIOLATION);
    }
}
