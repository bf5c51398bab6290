// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.zip.CRC32;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.peers.Message;
import org.nios2s.peers.PeerOptions;

/**
 * The client's side of a conversation, message by message, right or wrong. Nothing is sent before {@link #flush} or the
 * next read. Lives on the test's thread.
 */
final class WirePeer implements AutoCloseable {
    static final int RESOURCE_OK = 20;
    static final int DIFFERENT_VERSION = 21;
    static final int ABORT = 255;

    private static final int READ_TIMEOUT_MILLIS = 20_000;

    private final Socket socket;
    private final DataInputStream in;
    private final ByteArrayOutputStream unsent = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(unsent);
    private final CRC32 checksum = new CRC32();

    private boolean gzip;
    private long sentBytes;

    WirePeer(final InetSocketAddress listener) throws IOException {
        this(listener, null);
    }

    /** @param own the address to connect from, or null for any */
    WirePeer(final InetSocketAddress listener, final InetAddress own) throws IOException {
        this(connected(listener, own));
        PeerOptions.set(socket);
    }

    /** @param connected a connection that says nothing yet, but for TLS */
    WirePeer(final Socket connected) throws IOException {
        socket = connected;
        socket.setSoTimeout(READ_TIMEOUT_MILLIS);
        in = new DataInputStream(socket.getInputStream());
    }

    private static Socket connected(final InetSocketAddress listener, final InetAddress own) throws IOException {
        final Socket socket = new Socket();
        if (own != null) {
            socket.bind(new InetSocketAddress(own, 0));
        }
        socket.connect(listener);
        return socket;
    }

    int localPort() {
        return socket.getLocalPort();
    }

    /** @return bytes that have left */
    long sentBytes() {
        return sentBytes;
    }

    DataOutputStream out() {
        return out;
    }

    WirePeer flush() throws IOException {
        if (unsent.size() > 0) {
            socket.getOutputStream().write(unsent.toByteArray());
            socket.getOutputStream().flush();
            sentBytes += unsent.size();
            unsent.reset();
        }
        return this;
    }

    WirePeer magic() throws IOException {
        return bytes(Message.magic());
    }

    WirePeer bytes(final byte... bytes) throws IOException {
        out.write(bytes);
        return this;
    }

    WirePeer resource(final String name, final int version) throws IOException {
        return bytes(Message.resource(name, version));
    }

    WirePeer protocol(final int version) throws IOException {
        return bytes(Message.protocol(version));
    }

    WirePeer handshake(final Map<String, String> properties) throws IOException {
        return handshake(Message.NEWEST_VERSION, properties);
    }

    WirePeer handshake(final int version, final Map<String, String> properties) throws IOException {
        return bytes(Message.handshake(version, Message.COMMUNICATIONS_ID, properties));
    }

    /** The {@link Message#properties properties} of a push to the listener's input port. */
    static Map<String, String> properties(final String... others) {
        return Message.properties(RunningListener.INPUT_PORT, others);
    }

    /** Packets are compressed from now on. */
    WirePeer gzip() {
        gzip = true;
        return this;
    }

    WirePeer request(final String name) throws IOException {
        return bytes(Message.utf(name));
    }

    WirePeer codec() throws IOException {
        return bytes(Message.negotiateCodec());
    }

    WirePeer push() throws IOException {
        checksum.reset();
        return request("SEND_FLOWFILES");
    }

    WirePeer packet(final Map<String, String> attributes, final byte[] content) throws IOException {
        final byte[] plain = Message.packet(attributes, content);
        checksum.update(plain);
        return bytes(gzip ? Message.compressed(plain) : plain);
    }

    WirePeer say(final ResponseCode code) throws IOException {
        return bytes(Message.response(code));
    }

    WirePeer say(final ResponseCode code, final String text) throws IOException {
        return bytes(Message.response(code, text));
    }

    /** Magic, protocol and handshake, each answered as it should be. */
    WirePeer shakeHands(final Map<String, String> properties) throws IOException {
        magic().protocol(Message.NEWEST_VERSION).expectByte(RESOURCE_OK);
        return handshake(properties).expect(ResponseCode.PROPERTIES_OK);
    }

    /** All that comes before the first transaction. */
    WirePeer open(final String... otherProperties) throws IOException {
        return shakeHands(properties(otherProperties)).codec().expectByte(RESOURCE_OK);
    }

    /** Sends one transaction up to the listener's confirmation. */
    WirePeer pushPacket(final String content) throws IOException {
        return push().packet(Map.of("uuid", "source-" + content), content.getBytes(StandardCharsets.UTF_8))
                .say(ResponseCode.FINISH_TRANSACTION)
                .expectConfirmation();
    }

    WirePeer confirm() throws IOException {
        return say(ResponseCode.CONFIRM_TRANSACTION, "");
    }

    WirePeer expectConfirmation() throws IOException {
        return expect(ResponseCode.CONFIRM_TRANSACTION, String.valueOf(checksum.getValue()));
    }

    WirePeer expectByte(final int expected) throws IOException {
        flush();
        assertEquals(expected, in.readUnsignedByte());
        return this;
    }

    WirePeer expect(final ResponseCode code) throws IOException {
        flush();
        assertArrayEquals(code.getCodeSequence(), in.readNBytes(3), () -> "Expected " + code);
        return this;
    }

    WirePeer expect(final ResponseCode code, final String text) throws IOException {
        expect(code);
        assertEquals(text, in.readUTF());
        return this;
    }

    DataInputStream in() throws IOException {
        flush();
        return in;
    }

    /** The listener has ended the connection without another byte. */
    WirePeer expectEnd() throws IOException {
        flush();
        assertEquals(-1, in.read());
        return this;
    }

    /** Sends nothing more, but still listens. */
    WirePeer endOutput() throws IOException {
        flush();
        socket.shutdownOutput();
        return this;
    }

    /** Leaves with a reset, as a process that was killed. */
    void reset() throws IOException {
        flush();
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
