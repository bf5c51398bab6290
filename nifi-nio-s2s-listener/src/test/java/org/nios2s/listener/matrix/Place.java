// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import java.io.IOException;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** Where a conversation can stand: how a peer gets there, and which message is due. Immutable; any thread. */
enum Place {
    MAGIC(Message.magic(), null) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) {
            // There is nothing to say.
        }
    },
    PROTOCOL(Message.protocol(Size.VERSION), Message.all(Message.longestString(), Message.integer(1))) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            peer.say(Message.magic());
        }
    },
    HANDSHAKE(Message.handshake(MatrixListener.INPUT_PORT), Message.endlessHandshake()) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            peer.negotiate();
        }
    },
    REQUEST(Message.utf("NEGOTIATE_FLOWFILE_CODEC"), Message.longestString()) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            peer.shakeHands(MatrixListener.INPUT_PORT, listener.properties());
        }
    },
    PEER_LIST(Message.utf("REQUEST_PEER_LIST"), Message.longestString()) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            peer.shakeHands(null, listener.properties());
        }
    },
    CODEC(Message.codec(), Message.all(Message.longestString(), Message.integer(1))) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            peer.shakeHands(MatrixListener.INPUT_PORT, listener.properties());
            peer.request("NEGOTIATE_FLOWFILE_CODEC");
        }
    },
    PUSH(Message.utf("SEND_FLOWFILES"), Message.longestString()) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            peer.open(MatrixListener.INPUT_PORT, listener.properties());
        }
    },
    PACKET(Message.packet(Size.SMALL_CONTENT), Message.integer(Size.TOO_MANY_ATTRIBUTES)) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            PUSH.reach(peer, listener);
            peer.push();
        }
    },
    ATTRIBUTE(Message.all(Message.integer(4), new byte[4]), Message.integer(Integer.MAX_VALUE)) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            PACKET.reach(peer, listener);
            peer.say(Message.integer(2));
        }
    },
    CONTENT(Size.SMALL_CONTENT, new byte[2 * Size.SMALL]) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            PACKET.reach(peer, listener);
            peer.say(Message.packetHeader(Size.SMALL));
        }
    },
    COMPRESSED_PACKET(Message.compressed(Message.packet(Size.SMALL_CONTENT)), Message.hugeChunk()) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            peer.open(MatrixListener.INPUT_PORT, listener.properties("GZIP", "true"));
            peer.push();
        }
    },
    INDICATOR(Message.response(ResponseCode.FINISH_TRANSACTION), null) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            PACKET.reach(peer, listener);
            peer.say(Message.packet(Size.SMALL_CONTENT));
        }
    },
    SECOND_PACKET(Message.packet(Size.SMALL_CONTENT), Message.integer(Size.TOO_MANY_ATTRIBUTES)) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            INDICATOR.reach(peer, listener);
            peer.say(ResponseCode.CONTINUE_TRANSACTION);
        }
    },
    CONFIRMATION(
            Message.response(ResponseCode.CONFIRM_TRANSACTION, ""),
            Message.all(Message.response(ResponseCode.CONFIRM_TRANSACTION), Message.longestString())) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            INDICATOR.reach(peer, listener);
            peer.say(ResponseCode.FINISH_TRANSACTION);
            peer.expect(ResponseCode.CONFIRM_TRANSACTION);
        }
    },
    COMMIT(Message.utf("SEND_FLOWFILES"), Message.longestString()) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            CONFIRMATION.reach(peer, listener);
            listener.input().scheduled(false);
            peer.confirm();
            listener.awaitInPort(listener.input());
        }
    },
    STREAMED_SESSION(Size.LARGE_REST, new byte[2 * Size.LARGE]) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            PACKET.reach(peer, listener);
            listener.input().scheduled(false);
            peer.say(Message.packetHeader(Size.LARGE), Size.LARGE_BEGINNING);
            listener.awaitInPort(listener.input());
        }
    },
    STREAMED_CONTENT(Size.LARGE_REST, new byte[2 * Size.LARGE]) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            PACKET.reach(peer, listener);
            peer.say(Message.packetHeader(Size.LARGE), Size.LARGE_BEGINNING);
        }
    },
    STREAMED_CONFIRMATION(Message.response(ResponseCode.CONFIRM_TRANSACTION, ""), null) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            STREAMED_CONTENT.reach(peer, listener);
            peer.say(Size.LARGE_REST, Message.response(ResponseCode.FINISH_TRANSACTION));
            peer.expect(ResponseCode.CONFIRM_TRANSACTION);
        }
    },
    PULL(Message.utf("RECEIVE_FLOWFILES"), Message.longestString()) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            peer.open(MatrixListener.OUTPUT_PORT, listener.properties());
        }
    },
    PULL_SESSION(Message.utf("RECEIVE_FLOWFILES"), Message.longestString()) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            listener.offer(Size.SMALL_CONTENT);
            PULL.reach(peer, listener);
            listener.output().scheduled(false);
            peer.request("RECEIVE_FLOWFILES");
            listener.awaitInPort(listener.output());
        }
    },
    PULLED_CONTENT(Message.response(ResponseCode.CONFIRM_TRANSACTION, "0"), null) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            listener.offer(new byte[Size.PULLED]);
            PULL.reach(peer, listener);
            peer.request("RECEIVE_FLOWFILES");
            peer.expect(ResponseCode.MORE_DATA);
        }
    },
    RECEIPT(Message.response(ResponseCode.CONFIRM_TRANSACTION, "0"), null) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            listener.offer(Size.SMALL_CONTENT);
            PULL.reach(peer, listener);
            peer.request("RECEIVE_FLOWFILES");
            peer.expect(ResponseCode.MORE_DATA);
            listener.readPacket(peer, Size.SMALL_CONTENT);
            peer.expect(ResponseCode.FINISH_TRANSACTION);
        }
    },
    FINISH(Message.response(ResponseCode.TRANSACTION_FINISHED), null) {
        @Override
        void reach(final TestPeer peer, final MatrixListener listener) throws IOException {
            listener.offer(Size.SMALL_CONTENT);
            PULL.reach(peer, listener);
            peer.request("RECEIVE_FLOWFILES");
            peer.expect(ResponseCode.MORE_DATA);
            final String checksum = Message.checksum(listener.readPacket(peer, Size.SMALL_CONTENT));
            peer.expect(ResponseCode.FINISH_TRANSACTION);
            peer.say(ResponseCode.CONFIRM_TRANSACTION, checksum);
            peer.expect(ResponseCode.CONFIRM_TRANSACTION);
        }
    };

    /** How much is sent; in a class of its own since the places are made of it. */
    static final class Size {
        static final int VERSION = 6;
        static final int NEWER_VERSION = 7;
        static final int SMALL = 1_000;
        static final byte[] SMALL_CONTENT = new byte[SMALL];
        static final int TOO_MANY_ATTRIBUTES = 25_001;
        static final int LARGE = 200_000;
        static final byte[] LARGE_BEGINNING = new byte[LARGE / 2];
        static final byte[] LARGE_REST = new byte[LARGE / 2];

        /** More than the sockets' buffers hold. */
        static final int PULLED = 16 * 1024 * 1024;

        private Size() {}
    }

    private final byte[] message;
    private final byte[] overLong;

    Place(final byte[] message, final byte[] overLong) {
        this.message = message;
        this.overLong = overLong;
    }

    /** Says all that comes before, and hears all answers to it. */
    abstract void reach(TestPeer peer, MatrixListener listener) throws IOException;

    /** @return the message that is due */
    byte[] message() {
        return message;
    }

    /** @return a message in its place that is larger than any, or null where there is none */
    byte[] overLong() {
        return overLong;
    }

    /** @return a message that is due elsewhere */
    byte[] outOfOrder() {
        return switch (this) {
            case PUSH, COMMIT -> Message.utf("RECEIVE_FLOWFILES");
            default -> Message.all(Message.utf("SEND_FLOWFILES"), Message.packet(Size.SMALL_CONTENT));
        };
    }

    /** @return what a peer can say again and again, each time to be answered; null where there is nothing */
    byte[] endless() {
        return switch (this) {
            case PROTOCOL -> Message.protocol(Size.NEWER_VERSION);
            case PEER_LIST, PULL -> message;
            case PUSH ->
                Message.all(
                        message,
                        Message.packet(Size.SMALL_CONTENT),
                        Message.response(ResponseCode.FINISH_TRANSACTION),
                        Message.response(ResponseCode.CONFIRM_TRANSACTION, ""));
            default -> null;
        };
    }

    /** @return whether another peer would be in the way: port tasks rest, or there is one FlowFile to be pulled */
    boolean sharesPort() {
        return switch (this) {
            case COMMIT, STREAMED_SESSION, PULL_SESSION, PULLED_CONTENT, RECEIPT, FINISH -> true;
            default -> false;
        };
    }
}
