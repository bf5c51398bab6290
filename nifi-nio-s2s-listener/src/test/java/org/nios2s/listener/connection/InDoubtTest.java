// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.matrix.MatrixTls;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.peers.OneGoSocket;
import org.nios2s.peers.TestPeer;

/** A push was committed, its peer could not be told, and sends it again. Lives on the test's thread. */
@DisplayName("A packet that was committed without its peer being told")
class InDoubtTest {
    /** A packet with one more byte is streamed. */
    private static final int IN_MEMORY_BYTES = 4096;

    /** Written in several pieces. */
    private static final int LARGE_BYTES = 200_000;

    private SteppedListener listener;

    @BeforeEach
    void start() throws Exception {
        listener = new SteppedListener("transaction.memory", IN_MEMORY_BYTES + " B");
    }

    @AfterEach
    void stop() {
        listener.close();
    }

    private static Map<String, String> attributes(final String uuid) {
        return Map.of("uuid", uuid, "path", "./", "name", uuid);
    }

    /** Sends packets, named by their contents, up to the confirmation of both sides. */
    private static TestPeer sent(final TestPeer peer, final String... packets) throws IOException {
        return sent(peer, false, packets);
    }

    private static TestPeer sent(final TestPeer peer, final boolean gzip, final String... packets) throws IOException {
        peer.open(INPUT_PORT, "GZIP", String.valueOf(gzip));
        if (gzip) {
            peer.gzip();
        }
        peer.push();
        for (int i = 0; i < packets.length; i++) {
            final boolean isLast = i == packets.length - 1;
            peer.packet(attributes(uuidOf(packets[i])), packets[i].getBytes(StandardCharsets.UTF_8))
                    .say(isLast ? ResponseCode.FINISH_TRANSACTION : ResponseCode.CONTINUE_TRANSACTION);
        }
        return peer.expectConfirmation().confirm();
    }

    private static String uuidOf(final String content) {
        return "source-" + content.charAt(0);
    }

    private void push(final String... packets) throws IOException {
        try (TestPeer peer = listener.connect()) {
            sent(peer, packets).expect(ResponseCode.TRANSACTION_FINISHED);
        }
    }

    private interface Sending {
        TestPeer upToConfirmation(TestPeer peer) throws IOException;
    }

    /** Sends something, and leaves with a reset while it is being committed. */
    private void leaveInCommit(final Sending sending) throws IOException {
        leaveInCommit(listener.connect(), sending);
    }

    private void leaveInCommit(final TestPeer connected, final Sending sending) throws IOException {
        final CountDownLatch committing = new CountDownLatch(1);
        final CountDownLatch mayCommit = new CountDownLatch(1);
        final int before = listener.input().commits();
        listener.input().beforeCommit(flowFiles -> {
            committing.countDown();
            SteppedListener.awaiting().until(() -> mayCommit.getCount() == 0);
        });
        final TestPeer peer = sending.upToConfirmation(connected).flush();
        SteppedListener.awaiting().until(() -> committing.getCount() == 0);
        peer.reset();
        listener.awaitNoConnections();
        listener.input().beforeCommit(flowFiles -> {});
        mayCommit.countDown();
        SteppedListener.awaiting().until(() -> listener.input().commits() == before + 1);
        listener.awaitNothingHeld();
    }

    private void leaveInCommitOf(final String... packets) throws IOException {
        leaveInCommit(peer -> sent(peer, packets));
    }

    private List<String> contents() {
        return listener.input().committed().stream()
                .map(flowFile -> new String(flowFile.content(), StandardCharsets.UTF_8))
                .toList();
    }

    private void assertSettled(final int absorbed) {
        assertEquals(absorbed, listener.metrics().get(Counter.FLOW_FILES_ABSORBED));
        SteppedListener.awaiting().until(() -> listener.dispatchers().inDoubt() == 0);
        listener.awaitNothingHeld();
    }

    @Test
    @DisplayName("is answered as committed when it comes again, and is there once")
    void once() throws Exception {
        leaveInCommitOf("a");
        assertEquals(1, listener.dispatchers().inDoubt());
        push("a");
        assertEquals(List.of("a"), contents());
        assertEquals(1, listener.input().receipts().size());
        assertSettled(1);
    }

    @Test
    @DisplayName("absorbs one repetition and no more")
    void oneEach() throws Exception {
        leaveInCommitOf("a");
        push("a");
        push("a");
        assertEquals(List.of("a", "a"), contents());
        assertSettled(1);
    }

    @Test
    @DisplayName("absorbs as many as there were of its like")
    void asManyAsThereWere() throws Exception {
        leaveInCommitOf("a", "b", "a");
        push("a", "a", "a");
        assertEquals(List.of("a", "b", "a", "a"), contents());
        push("b");
        assertSettled(3);
    }

    @Test
    @DisplayName("is found in whatever transactions its sender packs it into")
    void packedAnew() throws Exception {
        leaveInCommitOf("a", "b", "c");
        push("x", "b", "y");
        push("c");
        push("z", "a");
        assertEquals(List.of("a", "b", "c", "x", "y", "z"), contents());
        assertSettled(3);
    }

    @Test
    @DisplayName("is compared by content and attributes, not by its identifier")
    void compared() throws Exception {
        leaveInCommitOf("a1");
        push("a2");
        push("a1 and more");
        try (TestPeer peer = listener.connect()) {
            peer.open(INPUT_PORT).push().packet(Map.of("uuid", "source-a"), "a1".getBytes(StandardCharsets.UTF_8));
            peer.say(ResponseCode.FINISH_TRANSACTION)
                    .expectConfirmation()
                    .confirm()
                    .expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertEquals(List.of("a1", "a2", "a1 and more", "a1"), contents());
        push("a1");
        assertEquals(4, contents().size());
        assertSettled(1);
    }

    @Test
    @DisplayName("absorbs nothing of another peer's")
    void otherPeer() throws Exception {
        leaveInCommitOf("a");
        try (TestPeer other = listener.connectFrom("127.0.0.2")) {
            sent(other, "a").expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertEquals(List.of("a", "a"), contents());
        push("a");
        assertEquals(List.of("a", "a"), contents());
        assertSettled(1);
    }

    @Test
    @DisplayName("absorbs nothing of a peer with another certificate, though both have one address")
    void otherIdentity() throws Exception {
        listener.close();
        final List<SSLContext> contexts = MatrixTls.create("CN=nifi", "CN=one", "CN=other");
        listener = new SteppedListener(NanoClock.SYSTEM, contexts.getFirst(), "tls.provider", "jdk");
        leaveInCommit(secured(contexts.get(1)), peer -> sent(peer, "a"));
        for (final SSLContext context : List.of(contexts.get(2), contexts.get(1))) {
            try (TestPeer peer = secured(context)) {
                sent(peer, "a").expect(ResponseCode.TRANSACTION_FINISHED);
            }
        }
        assertEquals(List.of("a", "a"), contents());
        assertSettled(1);
    }

    private TestPeer secured(final SSLContext context) throws IOException {
        return TestPeer.gathering(OneGoSocket.connect(listener.address()).secured(context));
    }

    @Test
    @DisplayName("is recognized if its attributes come in another order, and with another idea of their receiver")
    void otherOrder() throws Exception {
        final Map<String, String> attributes = new LinkedHashMap<>();
        final Map<String, String> reversed = new LinkedHashMap<>();
        final List<String> names = new ArrayList<>(List.of("uuid", "z", "a", "m", "path"));
        names.forEach(name -> attributes.put(name, "value of " + name));
        Collections.reverse(names);
        names.forEach(name -> reversed.put(name, "value of " + name));
        reversed.put("s2s.host", "any");
        leaveInCommit(peer -> pushOne(peer, attributes));
        try (TestPeer peer = listener.connect()) {
            pushOne(peer, reversed).expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertEquals(1, contents().size());
        assertSettled(1);
    }

    private static TestPeer pushOne(final TestPeer peer, final Map<String, String> attributes) throws IOException {
        return peer.open(INPUT_PORT)
                .push()
                .packet(attributes, new byte[10])
                .say(ResponseCode.FINISH_TRANSACTION)
                .expectConfirmation()
                .confirm();
    }

    @Test
    @DisplayName("is not remembered if its sender gave it no identifier, or one of no use")
    void withoutUuid() throws Exception {
        leaveInCommit(peer -> pushOne(peer, Map.of("name", "value")));
        leaveInCommit(peer -> pushOne(peer, Map.of("uuid", "u".repeat(1000))));
        assertEquals(0, listener.dispatchers().inDoubt());
    }

    @Test
    @DisplayName("is not in doubt if the answer has left: a constant identifier loses nothing")
    void answered() throws Exception {
        try (TestPeer peer = listener.connect()) {
            peer.open(INPUT_PORT);
            for (int i = 0; i < 100; i++) {
                peer.push().packet(attributes("constant"), new byte[10]).say(ResponseCode.FINISH_TRANSACTION);
                peer.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            }
            peer.reset();
        }
        for (int i = 0; i < 100; i++) {
            final TestPeer peer = listener.connect();
            sent(peer, "constant").expect(ResponseCode.TRANSACTION_FINISHED);
            peer.reset();
        }
        assertEquals(200, contents().size());
        assertSettled(0);
    }

    /** What becomes of a repetition. */
    private enum Repetition {
        CANCELLED {
            @Override
            void send(final SteppedListener listener) throws IOException {
                try (TestPeer peer = listener.connect()) {
                    peer.open(INPUT_PORT).push().packet(attributes("source-a"), "a".getBytes(StandardCharsets.UTF_8));
                    peer.say(ResponseCode.CANCEL_TRANSACTION, "never mind").flush();
                    peer.request("SHUTDOWN").expectEnd();
                }
            }
        },
        NOT_CONFIRMED {
            @Override
            void send(final SteppedListener listener) throws IOException {
                final TestPeer peer = listener.connect();
                peer.open(INPUT_PORT).push().packet(attributes("source-a"), "a".getBytes(StandardCharsets.UTF_8));
                peer.say(ResponseCode.FINISH_TRANSACTION).expectConfirmation().reset();
                listener.awaitNoConnections();
            }
        },
        NOT_AUTHORIZED {
            @Override
            void send(final SteppedListener listener) throws IOException {
                try (TestPeer peer = listener.connect()) {
                    sent(peer, "a");
                    listener.input().allow(identity -> false);
                    peer.expectEnd();
                    listener.input().allow(identity -> true);
                }
            }
        },
        ROLLED_BACK {
            @Override
            void send(final SteppedListener listener) throws IOException {
                listener.input().failCommitsWith(flowFile -> true);
                try (TestPeer peer = listener.connect()) {
                    sent(peer, "a", "b").expectEnd();
                }
                listener.input().failCommitsWith(flowFile -> false);
            }
        };

        abstract void send(SteppedListener listener) throws IOException;
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("stays in doubt if its repetition is not committed")
    void repetitionFails(final Repetition repetition) throws Exception {
        leaveInCommitOf("a");
        repetition.send(listener);
        assertEquals(1, listener.dispatchers().inDoubt());
        push("a");
        assertEquals(List.of("a"), contents());
        assertSettled(1);
    }

    @Test
    @DisplayName("is in doubt again if the answer to its repetition is lost, too")
    void lostAgain() throws Exception {
        leaveInCommitOf("a");
        leaveInCommitOf("b", "a");
        push("a", "b", "c");
        assertEquals(List.of("a", "b", "c"), contents());
        assertSettled(3);
    }

    @Test
    @DisplayName("is in doubt if its answer could not leave, and takes little memory until that is known")
    void answerThatCanNotLeave() throws Exception {
        final TestPeer peer = sent(listener.connect(), "a");
        listener.holdAnswers();
        peer.flush();
        listener.awaitStep("RequestStep");
        listener.awaitNothingHeld();
        assertEquals(0, listener.dispatchers().inDoubt());
        peer.reset();
        listener.awaitNoConnections();
        listener.releaseAnswers();
        assertEquals(1, listener.dispatchers().inDoubt());
        push("a");
        assertEquals(List.of("a"), contents());
        assertSettled(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("is recognized whether it is held in memory or streamed, compressed or not")
    void streamed(final boolean gzip) throws Exception {
        final String large = "l".repeat(IN_MEMORY_BYTES);
        final String larger = "m".repeat(LARGE_BYTES);
        leaveInCommit(peer -> sent(peer, gzip, "a", large, "b", larger));
        assertEquals(4, listener.dispatchers().inDoubt());
        push("a");
        leaveInCommitOf("c");
        try (TestPeer peer = listener.connect()) {
            sent(peer, gzip, larger, "d", large, "c", "b").expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertEquals(List.of("a", large, "b", larger, "c", "d"), contents());
        assertEquals(6, listener.input().receipts().size());
        assertSettled(5);
    }

    @Test
    @DisplayName("stays in doubt if its repetition is streamed and rolled back")
    void streamedRepetitionFails() throws Exception {
        final String large = "l".repeat(IN_MEMORY_BYTES);
        leaveInCommitOf("a", large);
        listener.input().failCommitsWith(flowFile -> true);
        try (TestPeer peer = listener.connect()) {
            sent(peer, large, "a", "b").expectEnd();
        }
        listener.input().failCommitsWith(flowFile -> false);
        assertEquals(2, listener.dispatchers().inDoubt());
        push(large, "a", "b");
        assertEquals(List.of("a", large, "b"), contents());
        assertSettled(2);
    }

    @Test
    @DisplayName("is forgotten after a time")
    void forgotten() throws Exception {
        listener.close();
        final AtomicLong clock = new AtomicLong();
        listener = new SteppedListener(clock::get, "in.doubt.time", "1 millis");
        leaveInCommitOf("a");
        clock.set(TimeUnit.MILLISECONDS.toNanos(2));
        SteppedListener.awaiting().until(() -> {
            listener.dispatchers().sweep();
            return listener.dispatchers().inDoubt() == 0;
        });
        push("a");
        assertEquals(List.of("a", "a"), contents());
        assertSettled(0);
    }

    @Test
    @DisplayName("is recognized after the listener has started again, once")
    void startedAgain(@TempDir final Path repository) throws Exception {
        final String[] settings = {
            "nifi.flowfile.repository.directory", repository.toString(), "in.doubt.until", "heard"
        };
        for (int start = 0; start < 2; start++) {
            listener.close();
            listener = new SteppedListener(settings);
            leaveInCommitOf("a", "b");
            try (TestPeer peer = listener.connect()) {
                sent(peer, "told").expect(ResponseCode.TRANSACTION_FINISHED);
            }
            listener.close();
            listener = new SteppedListener(settings);
            assertEquals(2, listener.dispatchers().inDoubt());
            push("b", "told", "a");
            push("a");
            assertEquals(List.of("told", "a"), contents());
            assertSettled(2);
        }
    }

    @ParameterizedTest
    @CsvSource({"in.doubt.until, sent", "in.doubt.time, 0"})
    @DisplayName("leaves no file, not even an earlier one, where its answer ends the doubt or nothing is remembered")
    void noFile(final String setting, final String value, @TempDir final Path repository) throws Exception {
        Files.writeString(repository.resolve("nio-s2s-in-doubt"), "of an earlier start");
        listener.close();
        listener = new SteppedListener("nifi.flowfile.repository.directory", repository.toString(), setting, value);
        leaveInCommitOf("a");
        try (Stream<Path> files = Files.list(repository)) {
            assertEquals(0, files.count());
        }
    }

    @Test
    @DisplayName("is not remembered where that is switched off")
    void off() throws Exception {
        listener.close();
        listener = new SteppedListener("in.doubt.time", "0");
        leaveInCommitOf("a");
        push("a");
        assertEquals(List.of("a", "a"), contents());
        assertEquals(1, listener.possibleDuplicates());
        assertSettled(0);
    }

    @Test
    @DisplayName("is in doubt beyond its answer if that is wanted and the peer leaves without having read it")
    void answerNotRead() throws Exception {
        listener.close();
        listener = new SteppedListener("in.doubt.until", "heard");
        final TestPeer peer = sent(listener.connect(), "a");
        peer.flush();
        listener.awaitStep("RequestStep");
        peer.reset();
        listener.awaitNoConnections();
        assertEquals(1, listener.dispatchers().inDoubt());
        push("a");
        assertEquals(List.of("a"), contents());
        assertSettled(1);
    }

    @Test
    @DisplayName("is in doubt no more, whatever is wanted, once its peer has gone on or has closed in good order")
    void answerRead() throws Exception {
        listener.close();
        listener = new SteppedListener("in.doubt.until", "heard");
        try (TestPeer peer = listener.connect()) {
            peer.open(INPUT_PORT);
            for (int i = 0; i < 10; i++) {
                peer.push().packet(attributes("constant"), new byte[10]).say(ResponseCode.FINISH_TRANSACTION);
                peer.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            }
            peer.request("SHUTDOWN").expectEnd();
        }
        for (int i = 0; i < 10; i++) {
            push("constant");
        }
        assertEquals(20, contents().size());
        assertSettled(0);
    }
}
