// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.port.ReceivedFlowFile;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** A peer pushes FlowFiles: packets, checksum, confirmation, commit. Lives on the test's thread. */
class PushTest extends OnePeer {
    private List<String> contents() {
        return listener.input().committed().stream()
                .map(flowFile -> new String(flowFile.content(), StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    @DisplayName("a transaction is finished only when its commit has returned")
    void finishedBehindCommit() throws Exception {
        final CountDownLatch committing = new CountDownLatch(1);
        final CountDownLatch mayCommit = new CountDownLatch(1);
        listener.input().beforeCommit(flowFiles -> {
            committing.countDown();
            awaitLatch(mayCommit);
        });
        peer.open(INPUT_PORT).pushPacket("a").confirm().flush();
        awaitLatch(committing);
        assertEquals(0, peer.in().available());
        assertEquals(List.of(), contents());
        mayCommit.countDown();
        peer.expect(ResponseCode.TRANSACTION_FINISHED);
        assertEquals(List.of("a"), contents());
    }

    private static void awaitLatch(final CountDownLatch latch) {
        SteppedListener.awaiting().until(() -> latch.getCount() == 0);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 1", "1, 100000", "2, 10", "100, 10", "1000, 0", "7, 70000"})
    @DisplayName("packets of a transaction arrive whole and in order, compressed or not")
    void packets(final int count, final int size) throws Exception {
        for (final boolean gzip : new boolean[] {false, true}) {
            try (TestPeer sender = listener.connect()) {
                final byte[] content = new byte[size];
                new Random(size).nextBytes(content);
                sender.open(INPUT_PORT, "GZIP", String.valueOf(gzip));
                pushAll(gzip ? sender.gzip() : sender, count, content);
                sender.expect(ResponseCode.TRANSACTION_FINISHED);
                final List<ReceivedFlowFile> committed = listener.input().committed();
                assertEquals(count, committed.size());
                for (int i = 0; i < count; i++) {
                    assertEquals(String.valueOf(i), committed.get(i).getAttribute("index"));
                    assertArrayEquals(content, committed.get(i).content());
                }
                committed.clear();
            }
        }
        listener.assertNoFault();
        listener.awaitNothingHeld();
    }

    private static void pushAll(final TestPeer sender, final int count, final byte[] content) throws Exception {
        sender.push();
        for (int i = 0; i < count; i++) {
            sender.packet(Map.of("index", String.valueOf(i)), content);
            sender.say(i < count - 1 ? ResponseCode.CONTINUE_TRANSACTION : ResponseCode.FINISH_TRANSACTION);
        }
        sender.expectConfirmation().confirm();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a transaction that arrives byte by byte is the same transaction")
    void byteByByte(final boolean gzip) throws Exception {
        listener.splitByteByByte();
        peer.open(INPUT_PORT, "GZIP", String.valueOf(gzip));
        pushAll(gzip ? peer.gzip() : peer, 3, "split".getBytes(StandardCharsets.UTF_8));
        peer.expect(ResponseCode.TRANSACTION_FINISHED);
        assertEquals(List.of("split", "split", "split"), contents());
    }

    @Test
    @DisplayName("a peer that waits for no answer is answered in order all the same")
    void pipelined() throws Exception {
        peer.magic()
                .protocol(Message.NEWEST_VERSION)
                .handshake(Message.properties(INPUT_PORT))
                .codec();
        for (final String content : List.of("a", "b", "c")) {
            peer.push().packet(Map.of(), content.getBytes(StandardCharsets.UTF_8));
            peer.say(ResponseCode.FINISH_TRANSACTION).confirm();
        }
        peer.request("REQUEST_PEER_LIST").request("SHUTDOWN");
        peer.expectResource().expect(ResponseCode.PROPERTIES_OK).expectResource();
        for (int i = 0; i < 3; i++) {
            final Response confirmation = peer.response();
            assertEquals(ResponseCode.CONFIRM_TRANSACTION, confirmation.getCode());
            assertTrue(Long.parseLong(confirmation.getMessage()) > 0);
            peer.expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertEquals(1, peer.in().readInt());
        assertEquals("nifi.example", peer.in().readUTF());
        peer.in().skipNBytes(Integer.BYTES + 1 + Integer.BYTES);
        peer.expectEnd();
        assertEquals(List.of("a", "b", "c"), contents());
        listener.assertNoFault();
    }

    @Test
    @DisplayName("a FlowFile has the packet's attributes but its uuid, and says where it came from")
    void attributes() throws Exception {
        final String multilingual = "Grüße, 世界, \uD83D\uDE00";
        peer.open(INPUT_PORT).push();
        peer.packet(
                Map.of("uuid", "source-1", "path", "./", "s2s.host", "liar", multilingual, multilingual), new byte[1]);
        peer.say(ResponseCode.FINISH_TRANSACTION).expectConfirmation().confirm();
        peer.expect(ResponseCode.TRANSACTION_FINISHED);
        final ReceivedFlowFile flowFile = listener.input().committed().get(0);
        assertEquals("./", flowFile.getAttribute("path"));
        assertEquals(multilingual, flowFile.getAttribute(multilingual));
        assertEquals(SteppedListener.HOST_NAME, flowFile.getAttribute("s2s.host"));
        assertEquals(SteppedListener.HOST_NAME + ":" + peer.localPort(), flowFile.getAttribute("s2s.address"));
        assertNull(flowFile.getAttribute("uuid"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 6})
    @DisplayName("provenance names the peer's transit URI from version 3 on, and its socket before")
    void provenance(final int version) throws Exception {
        peer.magic().protocol(version).expectResource();
        peer.say(Message.handshake(version, Message.COMMUNICATIONS_ID, Message.properties(INPUT_PORT)))
                .expect(ResponseCode.PROPERTIES_OK);
        peer.negotiateCodec();
        peer.pushPacket("a").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        final String transitUri = version >= 3
                ? Message.TRANSIT_URI + "/source-a"
                : "nifi://" + SteppedListener.HOST_NAME + ":" + peer.localPort();
        final String details = "Remote Host=" + SteppedListener.HOST_NAME + ", Remote DN=none";
        assertEquals(
                List.of(List.of(transitUri, "urn:nifi:source-a", details)),
                listener.input().receipts());
    }

    @Test
    @DisplayName("a packet without a uuid has no source identifier in its provenance")
    void provenanceWithoutUuid() throws Exception {
        peer.open(INPUT_PORT).push().packet(Map.of(), new byte[1]).say(ResponseCode.FINISH_TRANSACTION);
        peer.expectConfirmation().confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        final String details = "Remote Host=" + SteppedListener.HOST_NAME + ", Remote DN=none";
        assertEquals(
                List.of(Arrays.asList(Message.TRANSIT_URI + "/null", null, details)),
                listener.input().receipts());
    }

    @Test
    @DisplayName("a cancelled transaction leaves nothing, and the connection serves on")
    void cancel() throws Exception {
        peer.open(INPUT_PORT).push().packet(Map.of(), new byte[1000]).say(ResponseCode.CONTINUE_TRANSACTION);
        peer.packet(Map.of(), new byte[1000])
                .say(ResponseCode.CANCEL_TRANSACTION, "never mind")
                .flush();
        peer.pushPacket("after").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        assertEquals(List.of("after"), contents());
        listener.assertNoFault();
    }

    @Test
    @DisplayName("a checksum that differs rolls back and closes")
    void badChecksum() throws Exception {
        peer.open(INPUT_PORT).pushPacket("a").say(ResponseCode.BAD_CHECKSUM).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.BAD_CHECKSUM);
        assertEquals(0, listener.input().commits());
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_FINISHED", "PROPERTIES_OK", "MORE_DATA", "BAD_CHECKSUM"})
    @DisplayName("another response behind a packet rolls back and closes")
    void unexpectedIndicator(final ResponseCode code) throws Exception {
        peer.open(INPUT_PORT).push().packet(Map.of(), new byte[1]).say(code).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNEXPECTED_RESPONSE);
        assertEquals(0, listener.input().commits());
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_FINISHED", "FINISH_TRANSACTION", "CONTINUE_TRANSACTION"})
    @DisplayName("another response in place of the confirmation rolls back and closes")
    void unexpectedConfirmation(final ResponseCode code) throws Exception {
        peer.open(INPUT_PORT).pushPacket("a").say(code).expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNEXPECTED_RESPONSE);
        assertEquals(0, listener.input().commits());
    }

    @Test
    @DisplayName("cancelling in place of confirming rolls back and closes")
    void cancelInsteadOfConfirmation() throws Exception {
        peer.open(INPUT_PORT)
                .pushPacket("a")
                .say(ResponseCode.CANCEL_TRANSACTION, "never mind")
                .expectEnd();
        listener.awaitFault(ConnectionFault.Kind.UNEXPECTED_RESPONSE);
        assertEquals(0, listener.input().commits());
    }

    @Test
    @DisplayName("a commit that fills the destination says so, and the connection serves on")
    void destinationFull() throws Exception {
        peer.open(INPUT_PORT);
        listener.input().beforeCommit(flowFiles -> listener.input().full(true));
        peer.pushPacket("a").confirm().expect(ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL);
        listener.input().beforeCommit(flowFiles -> {});
        listener.input().full(false);
        peer.pushPacket("b").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        assertEquals(List.of("a", "b"), contents());
    }

    @Test
    @DisplayName("a commit that fails closes the connection without finishing the transaction")
    void failedCommit() throws Exception {
        listener.input().failCommitsWith(flowFile -> true);
        peer.open(INPUT_PORT).pushPacket("a").confirm().expectEnd();
        listener.awaitFault(ConnectionFault.Kind.COMMIT_FAILED);
        assertEquals(List.of(), contents());
    }

    @Test
    @DisplayName("a peer that lost its permission since the handshake is not finished")
    void permissionLost() throws Exception {
        peer.open(INPUT_PORT);
        listener.input().allow(identity -> false);
        peer.pushPacket("a").confirm().expectEnd();
        listener.awaitFault(ConnectionFault.Kind.NOT_AUTHORIZED);
        assertEquals(List.of(), contents());
    }

    @Test
    @DisplayName("a thousand transactions on one connection leave nothing behind")
    void manyTransactions() throws Exception {
        peer.open(INPUT_PORT);
        for (int i = 0; i < 1000; i++) {
            peer.pushPacket(String.valueOf(i)).confirm().expect(ResponseCode.TRANSACTION_FINISHED);
        }
        assertEquals(1000, listener.input().committed().size());
        listener.assertNoFault();
        listener.awaitNothingHeld();
    }
}
