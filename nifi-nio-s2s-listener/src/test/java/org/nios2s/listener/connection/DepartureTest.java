// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** A peer leaves, in whichever step: nothing of it stays, and nothing is committed. Lives on the test's thread. */
class DepartureTest extends OnePeer {
    /** Where a peer can be when it leaves. */
    enum Moment {
        BEFORE_MAGIC("MagicStep") {
            @Override
            void reach(final TestPeer peer) {
                // There is nothing to say.
            }
        },
        BEHIND_MAGIC("NegotiateProtocolStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.magic();
            }
        },
        IN_PROTOCOL_NAME("NegotiateProtocolStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.magic().say(new byte[] {(byte) 0, (byte) 22, (byte) 'S'});
            }
        },
        IN_HANDSHAKE("HandshakeStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.negotiate();
                peer.request(Message.COMMUNICATIONS_ID);
            }
        },
        IN_CODEC("NegotiateCodecStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.shakeHands(INPUT_PORT).request("NEGOTIATE_FLOWFILE_CODEC");
            }
        },
        BEFORE_FIRST_PACKET("ReceivePacketStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.open(INPUT_PORT).push();
            }
        },
        IN_ATTRIBUTES("ReceivePacketStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.open(INPUT_PORT).push().out().writeInt(1);
                peer.out().writeInt(1000);
                peer.say(new byte[500]);
            }
        },
        IN_CONTENT("ReceivePacketStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.open(INPUT_PORT).push().out().writeInt(0);
                peer.out().writeLong(100_000);
                peer.say(new byte[50_000]);
            }
        },
        IN_COMPRESSED_CONTENT("ReceivePacketStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.open(INPUT_PORT, "GZIP", "true").push();
                peer.say("SYNC".getBytes(StandardCharsets.US_ASCII)).out().writeInt(65_536);
                peer.out().writeInt(60_000);
                peer.say(new byte[] {(byte) 0x78, (byte) 0x01});
            }
        },
        BEHIND_PACKET("ReceiveIndicatorStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.open(INPUT_PORT).push().packet(Map.of("name", "value"), new byte[10_000]);
            }
        },
        BEHIND_COMPRESSED_PACKET("ReceiveIndicatorStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.open(INPUT_PORT, "GZIP", "true").gzip().push().packet(Map.of("name", "value"), new byte[10_000]);
            }
        },
        BETWEEN_PACKETS("ReceivePacketStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.open(INPUT_PORT).push().packet(Map.of(), new byte[10_000]).say(ResponseCode.CONTINUE_TRANSACTION);
            }
        },
        BEFORE_CONFIRMATION("AwaitConfirmationStep") {
            @Override
            void reach(final TestPeer peer) throws IOException {
                peer.open(INPUT_PORT).pushPacket("a");
            }
        };

        private final String step;

        Moment(final String step) {
            this.step = step;
        }

        abstract void reach(TestPeer peer) throws IOException;

        String step() {
            return step;
        }
    }

    private void reach(final Moment moment) throws IOException {
        moment.reach(peer);
        peer.flush();
        listener.awaitStep(moment.step);
    }

    private void assertNothingStays() {
        listener.awaitNoConnections();
        listener.awaitNothingHeld();
        assertEquals(0, listener.dispatchers().waiting());
        assertEquals(0, listener.input().commits());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BEFORE_MAGIC")
    @DisplayName("a peer that ends its output in mid-sentence is closed, and nothing stays")
    void endsOutput(final Moment moment) throws Exception {
        reach(moment);
        peer.halfClose().expectEnd();
        listener.awaitFault(ConnectionFault.Kind.PEER_CLOSED);
        assertNothingStays();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "BEFORE_MAGIC")
    @DisplayName("a peer that vanishes leaves nothing behind")
    void vanishes(final Moment moment) throws Exception {
        reach(moment);
        peer.reset();
        listener.awaitFault(ConnectionFault.Kind.CONNECTION_LOST);
        assertNothingStays();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a listener that stops cuts off every peer, and nothing stays")
    void cut(final Moment moment) throws Exception {
        reach(moment);
        listener.closeAllNow();
        peer.expectEnd();
        assertNothingStays();
    }

    @Test
    @DisplayName("a peer that leaves before a port task has its transaction takes it back")
    void leavesWhileTransactionWaits() throws Exception {
        listener.input().scheduled(false);
        peer.open(INPUT_PORT).pushPacket("a").confirm().flush();
        listener.awaitStep("AwaitCommitStep");
        SteppedListener.awaiting().until(() -> listener.input().inPort() == 1);
        peer.reset();
        listener.awaitNoConnections();
        listener.awaitNothingHeld();
        listener.input().scheduled(true);
        SteppedListener.awaiting().until(() -> listener.input().inPort() == 0);
        assertEquals(0, listener.input().commits());
    }

    @Test
    @DisplayName("a transaction that is being committed when its peer leaves is committed once and forgotten")
    void leavesDuringCommit() throws Exception {
        final CountDownLatch committing = new CountDownLatch(1);
        final CountDownLatch mayCommit = new CountDownLatch(1);
        listener.input().beforeCommit(flowFiles -> {
            committing.countDown();
            SteppedListener.awaiting().until(() -> mayCommit.getCount() == 0);
        });
        peer.open(INPUT_PORT).pushPacket("a").confirm().flush();
        SteppedListener.awaiting().until(() -> committing.getCount() == 0);
        peer.reset();
        listener.awaitNoConnections();
        mayCommit.countDown();
        listener.awaitNothingHeld();
        assertEquals(1, listener.input().commits());
    }
}
