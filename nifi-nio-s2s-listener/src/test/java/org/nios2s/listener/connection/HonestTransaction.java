// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.zip.CRC32;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** A transaction with one packet, in two halves, as a peer makes it that is in no way slow. Each peer lives on a thread of its own. */
enum HonestTransaction {
    /** A push; between the halves the peer could confirm. */
    PUSH(ConnectableType.INPUT_PORT) {
        @Override
        void begin(final TestPeer peer, final Map<String, String> attributes, final byte[] content) throws Exception {
            peer.push()
                    .packet(attributes, content)
                    .say(ResponseCode.FINISH_TRANSACTION)
                    .expectConfirmation();
        }

        @Override
        void end(final TestPeer peer) throws Exception {
            peer.confirm();
            final byte[] answer = peer.in().readNBytes(3);
            if (answer[2] != ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL.getCode()) {
                assertArrayEquals(ResponseCode.TRANSACTION_FINISHED.getCodeSequence(), answer);
            }
        }
    },
    /** A pull, of which the queue has to have the packet; between the halves the listener compares checksums. */
    PULL(ConnectableType.OUTPUT_PORT) {
        @Override
        void begin(final TestPeer peer, final Map<String, String> attributes, final byte[] content) throws Exception {
            final byte[] packet = Message.packet(attributes, content);
            peer.request("RECEIVE_FLOWFILES").expect(ResponseCode.MORE_DATA);
            final byte[] received = peer.in().readNBytes(packet.length);
            assertArrayEquals(packet, received);
            final CRC32 checksum = new CRC32();
            checksum.update(received);
            peer.expect(ResponseCode.FINISH_TRANSACTION)
                    .say(ResponseCode.CONFIRM_TRANSACTION, String.valueOf(checksum.getValue()))
                    .flush();
        }

        @Override
        void end(final TestPeer peer) throws Exception {
            peer.expect(ResponseCode.CONFIRM_TRANSACTION, "")
                    .say(ResponseCode.TRANSACTION_FINISHED)
                    .flush();
        }
    };

    private final ConnectableType portType;

    HonestTransaction(final ConnectableType portType) {
        this.portType = portType;
    }

    /** @return of the port that takes part in it */
    ConnectableType portType() {
        return portType;
    }

    String port() {
        return this == PUSH ? SteppedListener.INPUT_PORT : SteppedListener.OUTPUT_PORT;
    }

    abstract void begin(TestPeer peer, Map<String, String> attributes, byte[] content) throws Exception;

    abstract void end(TestPeer peer) throws Exception;

    /** What a peer does. */
    interface Part {
        void of(TestPeer peer) throws Exception;
    }

    /** @return done when all peers, each on a thread of its own, have done their part; failed as soon as one has */
    static CompletableFuture<Void> allDo(final Collection<TestPeer> peers, final Part part) {
        final CompletableFuture<Void> all = new CompletableFuture<>();
        final CompletableFuture<?>[] parts =
                peers.stream().map(peer -> start(peer, part)).toArray(CompletableFuture<?>[]::new);
        Arrays.stream(parts)
                .forEach(each -> each.exceptionally(failure -> {
                    all.completeExceptionally(failure);
                    return null;
                }));
        CompletableFuture.allOf(parts).thenRun(() -> all.complete(null));
        return all;
    }

    private static CompletableFuture<Void> start(final TestPeer peer, final Part part) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        part.of(peer);
                    } catch (final Exception e) {
                        throw new CompletionException(e);
                    }
                },
                task -> Thread.ofVirtual().start(task));
    }

    /** @return bytes that can't be compressed, the same ones each time */
    static byte[] content(final int bytes) {
        final byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return content;
    }
}
