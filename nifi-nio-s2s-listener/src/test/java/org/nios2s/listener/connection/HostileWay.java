// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.nifi.remote.io.CompressionOutputStream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** Ways of a peer to keep what it has. Each peer lives on the test's thread. */
enum HostileWay {
    /** Asks for a transaction and says nothing more. */
    SILENT {
        @Override
        void push(final TestPeer peer, final int bytes) throws IOException {
            peer.push().out().writeInt(1);
        }
    },
    /** Stops in the middle of a packet. */
    STALLED,
    /** Sends a byte now and then. */
    DRIPPING {
        @Override
        void goOn(final TestPeer peer) throws IOException {
            drip(peer);
        }
    },
    /** Drips, at two ports. */
    ON_TWO_PORTS {
        @Override
        String port(final String healthy, final String other, final int peer) {
            return peer % 2 == 0 ? healthy : other;
        }

        @Override
        void goOn(final TestPeer peer) throws IOException {
            drip(peer);
        }
    },
    /** Drips, once at each of several ports. */
    AT_EACH_PORT {
        @Override
        String port(final String healthy, final String other, final int peer) {
            return peer == 0 ? healthy : other + peer;
        }

        @Override
        void goOn(final TestPeer peer) throws IOException {
            drip(peer);
        }
    },
    /** Has sent everything but its confirmation. */
    UNCONFIRMED {
        @Override
        void push(final TestPeer peer, final int bytes) throws IOException {
            peer.push().packet(Map.of(), new byte[bytes]).say(ResponseCode.FINISH_TRANSACTION);
        }
    },
    /** Drips bytes that stand for very many. */
    COMPRESSING_ZEROS {
        @Override
        void push(final TestPeer peer, final int bytes) throws IOException {
            final DataOutputStream packet =
                    new DataOutputStream(new CompressionOutputStream(peer.push().out()));
            packet.writeInt(0);
            packet.writeLong(Long.MAX_VALUE);
            packet.write(new byte[1_000_000]);
            COMPRESSED.put(peer, packet);
        }

        @Override
        void goOn(final TestPeer peer) throws IOException {
            COMPRESSED.get(peer).write(new byte[100_000]);
            peer.flush();
        }

        @Override
        boolean compresses() {
            return true;
        }
    },
    /** Has sent a few bytes that stand for very many. */
    CLAIMING_ZEROS {
        @Override
        void push(final TestPeer peer, final int bytes) throws IOException {
            peer.push()
                    .say(Message.chunk(Message.packetHeader(Long.MAX_VALUE), false))
                    .say(chunkOfNothing());
        }

        @Override
        boolean compresses() {
            return true;
        }
    },
    /** Sends one attribute more now and then. */
    LARGE_ATTRIBUTES {
        @Override
        void push(final TestPeer peer, final int bytes) throws IOException {
            peer.push();
            if (bytes > MOST_IN_ONE_PACKET) {
                peer.packet(Map.of(), new byte[bytes]).say(ResponseCode.CONTINUE_TRANSACTION);
            }
            peer.out().writeInt(MOST_ATTRIBUTES);
            for (int i = 0; i < FIRST_ATTRIBUTES; i++) {
                attribute(peer, i);
            }
        }

        @Override
        void goOn(final TestPeer peer) throws IOException {
            attribute(peer, (int) peer.sentBytes());
            peer.flush();
        }
    };

    private static final int MOST_ATTRIBUTES = 25_000;
    private static final int FIRST_ATTRIBUTES = 2_000;
    /** What is to stream has to be there before the attributes, which don't. */
    private static final int MOST_IN_ONE_PACKET = 64 * 1024;

    private static final int CLAIMED_BYTES = 8 * 1024 * 1024;
    private static final Map<TestPeer, DataOutputStream> COMPRESSED = new WeakHashMap<>();

    /** @return where this one of several connections goes */
    String port(final String healthy, final String other, final int peer) {
        return healthy;
    }

    /**
     * Begins a packet that does not end.
     *
     * @param bytes that have to be there at least, so that it holds what it is to keep
     */
    void push(final TestPeer peer, final int bytes) throws IOException {
        peer.push().out().writeInt(0);
        peer.out().writeLong(Long.MAX_VALUE);
        peer.say(new byte[bytes]);
    }

    /** Once a second. */
    void goOn(final TestPeer peer) throws IOException {}

    boolean compresses() {
        return false;
    }

    private static void drip(final TestPeer peer) throws IOException {
        peer.say(new byte[1]).flush();
    }

    private static void attribute(final TestPeer peer, final int name) throws IOException {
        peer.out().writeInt(Integer.BYTES);
        peer.out().writeInt(name);
        peer.out().writeInt(Integer.BYTES);
        peer.out().writeInt(name);
    }

    private static byte[] chunkOfNothing() {
        return ByteBuffer.allocate(12)
                .put(new byte[] {'S', 'Y', 'N', 'C'})
                .putInt(CLAIMED_BYTES)
                .putInt(0)
                .array();
    }
}
