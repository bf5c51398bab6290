// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.io.CompressionOutputStream;
import org.apache.nifi.remote.util.StandardDataPacket;

/** Packets as NiFi's own classes write them, the oracle of the codec tests. Lives on the test's thread. */
final class NiFiPackets {
    /**
     * A packet with its whole content.
     *
     * @param attributes names and values
     * @param content all of it, as text of one character per byte so that packets compare by value
     */
    record Packet(Map<String, String> attributes, String content) {
        static Packet of(final Map<String, String> attributes, final byte[] content) {
            return new Packet(attributes, latin1(content));
        }

        byte[] contentBytes() {
            return content.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    /**
     * What was written and what NiFi counts over it.
     *
     * @param bytes on the wire
     * @param checksum CRC32 of the plain bytes
     */
    record Written(byte[] bytes, long checksum) {}

    private NiFiPackets() {}

    static String latin1(final byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** @return packets with no, few, many, empty and long attributes and contents up to {@code largest} bytes */
    static List<Packet> samples(final long seed, final int largest) {
        final Random random = new Random(seed);
        final List<Packet> packets = new ArrayList<>();
        packets.add(Packet.of(Map.of(), new byte[0]));
        packets.add(Packet.of(Map.of("filename", "a.txt", "path", "./"), "0123456789".getBytes()));
        packets.add(Packet.of(Map.of("", "", "empty", "", "wide", "\u20AC\uD83D\uDE00\uD83D"), new byte[1]));
        packets.add(Packet.of(Map.of("long", "v".repeat(3_000)), randomBytes(random, largest)));
        final Map<String, String> many = new HashMap<>();
        for (int i = 0; i < 40; i++) {
            many.put("name." + i, "value " + random.nextLong());
        }
        packets.add(Packet.of(many, new byte[largest / 2]));
        return packets;
    }

    static byte[] randomBytes(final Random random, final int length) {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    static Written write(final List<Packet> packets, final boolean gzip) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final CRC32 checksum = new CRC32();
        for (final Packet packet : packets) {
            final OutputStream plain = gzip ? new CompressionOutputStream(bytes) : bytes;
            final CheckedOutputStream out = new CheckedOutputStream(plain, checksum);
            new StandardFlowFileCodec().encode(dataPacket(packet), out);
            out.close();
        }
        return new Written(bytes.toByteArray(), checksum.getValue());
    }

    static StandardDataPacket dataPacket(final Packet packet) {
        final byte[] content = packet.contentBytes();
        return new StandardDataPacket(packet.attributes(), new ByteArrayInputStream(content), content.length);
    }

    /** As text on the wire may change: what a lone surrogate becomes in UTF-8. */
    static Packet asReceived(final Packet packet) {
        final Map<String, String> attributes = new HashMap<>();
        packet.attributes().forEach((name, value) -> attributes.put(throughUtf8(name), throughUtf8(value)));
        return new Packet(attributes, packet.content());
    }

    private static String throughUtf8(final String value) {
        return new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /** Collects decoded packets. Lives on the test's thread. */
    static final class Collector implements PacketDecoder.Handler {
        final List<Packet> packets = new ArrayList<>();
        private Map<String, String> attributes;
        private ByteArrayOutputStream content;
        private long contentLength;

        @Override
        public void packetBegins(final Map<String, String> names, final long length) {
            attributes = names;
            content = new ByteArrayOutputStream();
            contentLength = length;
        }

        @Override
        public void content(final ByteBuf in, final int length) {
            final byte[] piece = new byte[length];
            in.readBytes(piece);
            content.writeBytes(piece);
        }

        @Override
        public void packetEnds() {
            if (content.size() != contentLength) {
                throw new IllegalStateException(content.size() + " of " + contentLength + " bytes");
            }
            packets.add(Packet.of(attributes, content.toByteArray()));
        }
    }
}
