// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import javax.net.ssl.SSLException;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.io.CompressionInputStream;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.Response;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.peers.MinifiReads;
import org.nios2s.peers.TestPeer;

/**
 * Writes down what a listener answers, without what differs from run to run.
 * For the one thread on which its conversation is held.
 */
final class Hearer {

    static final String CLOSED = "closed";
    static final String SILENCE = "silence";

    /** MiNiFi gives up. */
    static final String TORN = "too little in a read of MiNiFi";

    private static final int SHORT_CONTENT = 64;

    /** The longest chunk that MiNiFi C++ 1.0 takes, deflated. */
    private static final int MAX_OF_MINIFI = 65_536;

    private static final int LONG_ATTRIBUTES = 1000;
    private static final Duration SOON = Duration.ofMillis(400);
    private static final Duration IN_THE_END = Duration.ofSeconds(12);

    private final TestPeer peer;
    private final NifiNodeInfo nifi;
    private final CRC32 checksum = new CRC32();

    Hearer(final TestPeer peer, final NifiNodeInfo nifi) {
        this.peer = peer;
        this.nifi = nifi;
    }

    /** Reads an answer of a kind; a connection that is closed, and silence, are answers too. */
    String answer(final String kind) throws IOException {
        final Counted counted = new Counted(peer.in());
        try {
            return read(kind, new DataInputStream(counted));
        } catch (final EOFException | SocketException | SSLException e) {
            return counted.bytes == 0 ? CLOSED : CLOSED + " in the middle of the answer";
        } catch (final SocketTimeoutException e) {
            return SILENCE;
        }
    }

    /** The checksum of all packets so far, as the wire has it. */
    String checksum() {
        return String.valueOf(checksum.getValue());
    }

    /** The packets that follow have a checksum of their own. */
    void forgetChecksum() {
        checksum.reset();
    }

    /** Whether the listener closes the connection in its own time, and what else it says before. */
    String isClosed() throws IOException {
        return rest(IN_THE_END);
    }

    /** Whether the listener leaves the connection open, and what else it says. */
    String isOpen() throws IOException {
        return rest(SOON);
    }

    private String rest(final Duration patience) throws IOException {
        final TestPeer.Rest rest = peer.rest(patience);
        return (rest.bytes().length == 0 ? "" : "further " + HexFormat.of().formatHex(rest.bytes()) + ", ")
                + (rest.closed() ? CLOSED : "open");
    }

    private String read(final String kind, final DataInputStream in) throws IOException {
        return switch (kind) {
            case "byte" -> String.valueOf(in.readUnsignedByte());
            case "int" -> String.valueOf(in.readInt());
            case "utf" -> in.readUTF();
            case "response" -> response(in);
            case "peers" -> peers(in);
            case "packet" -> packet(in);
            case "gzip-packet" -> {
                try (InputStream plain = new CompressionInputStream(in)) {
                    yield packet(plain);
                }
            }
            case "minifi-packet" -> minifiPacket(in);
            case "gzip-chunks" -> chunks(in);
            default -> throw new IOException("There is no answer of the kind " + kind);
        };
    }

    private static String response(final DataInputStream in) throws IOException {
        final Response response = Response.read(in);
        return response.getCode().name() + (response.getMessage() == null ? "" : " '" + response.getMessage() + "'");
    }

    private String peers(final DataInputStream in) throws IOException {
        final int count = in.readInt();
        final StringBuilder peers = new StringBuilder().append(count);
        for (int index = 0; index < count; index++) {
            peers.append(' ').append(in.readUTF());
            final int port = in.readInt();
            peers.append(port == nifi.s2sPort() ? ":its-port" : ":" + port)
                    .append(' ')
                    .append(in.readByte())
                    .append(' ')
                    .append(in.readInt());
        }
        return peers.toString();
    }

    private String packet(final InputStream in) throws IOException {
        final CheckedInputStream checked = new CheckedInputStream(in, checksum);
        final DataPacket packet = new StandardFlowFileCodec().decode(checked);
        if (packet == null) {
            throw new EOFException();
        }
        return packet(packet, checked);
    }

    private static String packet(final DataPacket packet, final InputStream from) throws IOException {
        final byte[] content = from.readNBytes(Math.toIntExact(packet.getSize()));
        if (content.length < packet.getSize()) {
            throw new EOFException();
        }
        return attributes(packet.getAttributes()) + " " + content(content);
    }

    /** A packet by the reads of MiNiFi C++, each of which has to be enough. */
    private String minifiPacket(final InputStream in) throws IOException {
        try {
            final DataPacket packet = MinifiReads.packet(new CheckedInputStream(in, checksum));
            return packet(packet, packet.getData());
        } catch (final MinifiReads.TornException e) {
            return TORN;
        }
    }

    /** What the first chunk of a compressed packet holds, and whether all are as short as MiNiFi C++ wants them. */
    private String chunks(final DataInputStream in) throws IOException {
        final ByteArrayOutputStream packet = new ByteArrayOutputStream();
        final DataOutputStream copy = new DataOutputStream(packet);
        int firstPlain = 0;
        int mostDeflated = 0;
        int next;
        do {
            copy.writeInt(in.readInt());
            final int plain = in.readInt();
            final int deflated = in.readInt();
            firstPlain = firstPlain == 0 ? plain : firstPlain;
            mostDeflated = Math.max(mostDeflated, deflated);
            copy.writeInt(plain);
            copy.writeInt(deflated);
            copy.write(in.readNBytes(deflated));
            next = in.readUnsignedByte();
            copy.writeByte(next);
        } while (next == 1);
        packet(new CompressionInputStream(new ByteArrayInputStream(packet.toByteArray())));
        return firstPlain + " plain, deflated " + (mostDeflated > MAX_OF_MINIFI ? "too long" : "short enough");
    }

    /**
     * Attributes, sorted, with a star for what is new for every FlowFile, and for which of the given FlowFiles it is: a
     * queue without prioritizers is in the order of content claims, which is NiFi's to choose. Very many of them are
     * told by their checksum.
     */
    static String attributes(final Map<String, String> attributes) {
        final Map<String, String> stable = new TreeMap<>(attributes);
        final String uuid = stable.replace("uuid", "*");
        stable.computeIfPresent(
                "filename",
                (key, filename) -> filename.equals(uuid) ? "*" : filename.replaceAll("^given-\\d+$", "given-*"));
        stable.computeIfPresent("s2s.address", (key, address) -> address.replaceAll(":\\d+$", ":*"));
        final String text = stable.toString();
        return text.length() > LONG_ATTRIBUTES ? content(text.getBytes(StandardCharsets.UTF_8)) : text;
    }

    /** Counts the bytes of one answer. For one thread. */
    private static final class Counted extends FilterInputStream {
        private int bytes;

        Counted(final InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            final int next = super.read();
            bytes += next < 0 ? 0 : 1;
            return next;
        }

        @Override
        public int read(final byte[] into, final int offset, final int length) throws IOException {
            final int read = super.read(into, offset, length);
            bytes += Math.max(0, read);
            return read;
        }
    }

    /** A content, or if it is long its length and checksum. */
    static String content(final byte[] content) {
        if (content.length <= SHORT_CONTENT) {
            return HexFormat.of().formatHex(content);
        }
        final CRC32 crc = new CRC32();
        crc.update(content);
        return content.length + " bytes with CRC32 " + crc.getValue();
    }
}
