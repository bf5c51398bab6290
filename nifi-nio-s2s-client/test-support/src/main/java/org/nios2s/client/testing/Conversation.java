// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;
import org.nios2s.wire.HandshakeProperty;
import org.nios2s.wire.RequestType;
import org.nios2s.wire.ResponseCode;

/** The server's part on one connection. Lives on the connection's thread; {@link #leave} and {@link #close} come from any. */
final class Conversation implements AutoCloseable {
    /** What answers requests. */
    interface Port {
        /** The peer sends packets. */
        void receive(Conversation peer) throws IOException;

        /** The peer asks for packets. */
        void send(Conversation peer) throws IOException;
    }

    private enum State {
        BUSY,
        /** The client may already use the connection again. */
        ANSWERED,
        IDLE
    }

    private static final String MAGIC = "NiFi";
    private static final int HIGHEST_VERSION = 6;
    private static final int FIRST_WITH_TRANSIT_URI = 3;
    private static final int RESOURCE_OK = 20;
    private static final int DIFFERENT_VERSION = 21;
    private static final int FIRST_OF_RESPONSE = 'R';
    private static final int SECOND_OF_RESPONSE = 'C';

    private final Socket socket;
    private final InputStream plainIn;
    private final OutputStream plainOut;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final Map<HandshakeProperty, String> properties = new EnumMap<>(HandshakeProperty.class);
    private String commsId = "";
    /** These three are guarded by this object. */
    private @Nullable Port port;

    private State state = State.BUSY;
    private boolean leaving;

    Conversation(final Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        plainIn = new BufferedInputStream(socket.getInputStream());
        plainOut = new BufferedOutputStream(socket.getOutputStream());
        in = new DataInputStream(plainIn);
        out = new DataOutputStream(plainOut);
    }

    String commsId() {
        return commsId;
    }

    /** @return the limit of a pull, or 0 for none */
    long limit(final HandshakeProperty property) {
        return Long.parseLong(properties.getOrDefault(property, "0"));
    }

    /** @return the identifier of the port, after all but the answer of the handshake */
    String open() throws IOException {
        if (!MAGIC.equals(new String(in.readNBytes(MAGIC.length()), StandardCharsets.US_ASCII))) {
            throw new IOException("The peer does not speak RAW Site-to-Site");
        }
        final int version = agreeOnVersion();
        commsId = in.readUTF();
        if (version >= FIRST_WITH_TRANSIT_URI) {
            in.readUTF();
        }
        for (int left = in.readInt(); left > 0; left--) {
            properties.put(HandshakeProperty.valueOf(in.readUTF()), in.readUTF());
        }
        return properties.getOrDefault(HandshakeProperty.PORT_IDENTIFIER, "");
    }

    private int agreeOnVersion() throws IOException {
        in.readUTF();
        int version = in.readInt();
        while (version > HIGHEST_VERSION) {
            out.write(DIFFERENT_VERSION);
            out.writeInt(HIGHEST_VERSION);
            out.flush();
            in.readUTF();
            version = in.readInt();
        }
        out.write(RESOURCE_OK);
        out.flush();
        return version;
    }

    /** Answers request after request, until the peer leaves. */
    void serve(final Port served) throws IOException {
        synchronized (this) {
            port = served;
        }
        while (true) {
            switch (RequestType.valueOf(in.readUTF())) {
                case NEGOTIATE_FLOWFILE_CODEC -> agreeOnCodec();
                case SEND_FLOWFILES -> {
                    isBusy();
                    served.receive(this);
                }
                case RECEIVE_FLOWFILES -> {
                    isBusy();
                    served.send(this);
                }
                default -> throw new EOFException("The peer leaves");
            }
            isIdle();
        }
    }

    private synchronized void isBusy() {
        state = State.BUSY;
    }

    private synchronized void isIdle() throws IOException {
        if (leaving) {
            throw new EOFException("The next transaction begins with a handshake");
        }
        state = State.IDLE;
    }

    private void agreeOnCodec() throws IOException {
        in.readUTF();
        in.readInt();
        answered();
        out.write(RESOURCE_OK);
        out.flush();
    }

    synchronized boolean isOf(final Port served) {
        return port == served;
    }

    /**
     * Ends the connection when no transaction needs it.
     *
     * @return whether that is at once
     */
    synchronized boolean leave() {
        leaving = true;
        if (state == State.IDLE) {
            close();
        }
        return state != State.BUSY;
    }

    void say(final ResponseCode code) throws IOException {
        say(code, "");
    }

    /** @param text is left out where the code has none */
    void say(final ResponseCode code, final String text) throws IOException {
        out.write(FIRST_OF_RESPONSE);
        out.write(SECOND_OF_RESPONSE);
        out.write(code.number());
        if (code.hasText()) {
            out.writeUTF(text);
        }
        out.flush();
    }

    /** The last word of a transaction: the connection is the next one's when the client has heard it. */
    void sayAtLast(final ResponseCode code) throws IOException {
        answered();
        say(code);
    }

    synchronized void answered() {
        state = State.ANSWERED;
    }

    private ResponseCode hear() throws IOException {
        if (in.readUnsignedByte() != FIRST_OF_RESPONSE || in.readUnsignedByte() != SECOND_OF_RESPONSE) {
            throw new IOException("The peer says something that is no response");
        }
        final ResponseCode code = ResponseCode.of(in.readUnsignedByte());
        if (code == null) {
            throw new IOException("The peer says a code that there is not");
        }
        return code;
    }

    private String hearText(final ResponseCode code) throws IOException {
        return code.hasText() ? in.readUTF() : "";
    }

    /** @throws IOException if the peer says anything else, such as that it cancels */
    void expect(final ResponseCode expected) throws IOException {
        expect(expected, "");
    }

    /** @param text is compared, unless it is empty */
    void expect(final ResponseCode expected, final String text) throws IOException {
        final ResponseCode code = hear();
        final String heard = hearText(code);
        if (code != expected) {
            throw new IOException("The peer says " + code + " in place of " + expected);
        }
        if (!text.isEmpty() && !text.equals(heard)) {
            say(ResponseCode.BAD_CHECKSUM);
            throw new IOException("The peer has another checksum");
        }
    }

    /**
     * Reads the packets of a push.
     *
     * @param packets are added to it
     * @return their checksum
     */
    String hearPackets(final List<StoredPacket> packets) throws IOException {
        final CheckedInputStream checked = new CheckedInputStream(plainIn, new CRC32());
        final DataInputStream fields = new DataInputStream(checked);
        ResponseCode next = ResponseCode.CONTINUE_TRANSACTION;
        while (next == ResponseCode.CONTINUE_TRANSACTION) {
            packets.add(hearPacket(fields));
            next = hear();
            hearText(next);
        }
        if (next != ResponseCode.FINISH_TRANSACTION) {
            throw new IOException("The peer says " + next + " after a packet");
        }
        return String.valueOf(checked.getChecksum().getValue());
    }

    private static StoredPacket hearPacket(final DataInputStream fields) throws IOException {
        final Map<String, String> attributes = new HashMap<>();
        for (int left = fields.readInt(); left > 0; left--) {
            final String name = hearString(fields);
            attributes.put(name, hearString(fields));
        }
        return new StoredPacket(attributes, hearBytes(fields, Math.toIntExact(fields.readLong())));
    }

    private static String hearString(final DataInputStream fields) throws IOException {
        return new String(hearBytes(fields, fields.readInt()), StandardCharsets.UTF_8);
    }

    private static byte[] hearBytes(final DataInputStream fields, final int length) throws IOException {
        final byte[] bytes = fields.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("The peer leaves within a packet");
        }
        return bytes;
    }

    /**
     * Writes the packets of a pull.
     *
     * @return their checksum
     */
    String sayPackets(final List<StoredPacket> packets) throws IOException {
        final CheckedOutputStream checked = new CheckedOutputStream(plainOut, new CRC32());
        final DataOutputStream fields = new DataOutputStream(checked);
        say(ResponseCode.MORE_DATA);
        for (int i = 0; i < packets.size(); i++) {
            if (i > 0) {
                say(ResponseCode.CONTINUE_TRANSACTION);
            }
            sayPacket(packets.get(i), fields);
        }
        say(ResponseCode.FINISH_TRANSACTION);
        return String.valueOf(checked.getChecksum().getValue());
    }

    private static void sayPacket(final StoredPacket packet, final DataOutputStream fields) throws IOException {
        fields.writeInt(packet.attributes().size());
        for (final Map.Entry<String, String> attribute : packet.attributes().entrySet()) {
            for (final String field : List.of(attribute.getKey(), attribute.getValue())) {
                final byte[] bytes = field.getBytes(StandardCharsets.UTF_8);
                fields.writeInt(bytes.length);
                fields.write(bytes);
            }
        }
        fields.writeLong(packet.content().length);
        fields.write(packet.content());
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (final IOException e) {
            throw new IllegalStateException("A socket of loopback can't be closed", e);
        }
    }
}
