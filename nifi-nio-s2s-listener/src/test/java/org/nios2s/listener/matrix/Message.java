// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.wire.ChunkDeflater;
import org.nios2s.wire.PacketEncoder;

/** Messages of a peer as bytes, right ones and wrong ones. Stateless; any thread. */
final class Message {
    static final int LONGEST_STRING = 65_535;

    /** Half of all properties that a peer could mean in earnest, each as long as a string can be. */
    private static final int TOO_MANY_PROPERTIES = 100;

    private interface Fields {
        void write(DataOutputStream out) throws IOException;
    }

    private Message() {}

    private static byte[] of(final Fields fields) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            fields.write(new DataOutputStream(bytes));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static byte[] all(final byte[]... messages) {
        return of(out -> {
            for (final byte[] message : messages) {
                out.write(message);
            }
        });
    }

    static byte[] magic() {
        return "NiFi".getBytes(StandardCharsets.US_ASCII);
    }

    static byte[] named(final String name, final int version) {
        return of(out -> {
            out.writeUTF(name);
            out.writeInt(version);
        });
    }

    static byte[] protocol(final int version) {
        return named("SocketFlowFileProtocol", version);
    }

    static byte[] codec() {
        return named("StandardFlowFileCodec", 1);
    }

    static byte[] longestString() {
        return utf("x".repeat(LONGEST_STRING));
    }

    static byte[] utf(final String text) {
        return of(out -> out.writeUTF(text));
    }

    static byte[] integer(final int value) {
        return of(out -> out.writeInt(value));
    }

    /** The properties of an ordinary handshake, with others in turn: names and values. */
    static byte[] handshake(final String port, final String... others) {
        final Map<String, String> properties = new LinkedHashMap<>();
        properties.put("GZIP", "false");
        if (port != null) {
            properties.put("PORT_IDENTIFIER", port);
        }
        for (int i = 0; i < others.length; i += 2) {
            properties.put(others[i], others[i + 1]);
        }
        return of(out -> {
            out.writeUTF("communications-id");
            out.writeUTF("nifi://matrix.example:8080");
            out.writeInt(properties.size());
            for (final Map.Entry<String, String> property : properties.entrySet()) {
                out.writeUTF(property.getKey());
                out.writeUTF(property.getValue());
            }
        });
    }

    /** Far more properties than there are, none of them known. */
    static byte[] endlessHandshake() {
        return of(out -> {
            out.writeUTF("communications-id");
            out.writeUTF("nifi://matrix.example:8080");
            out.writeInt(Integer.MAX_VALUE);
            for (int i = 0; i < TOO_MANY_PROPERTIES; i++) {
                out.write(longestString());
                out.write(longestString());
            }
        });
    }

    static byte[] packet(final byte[] content) {
        return all(packetHeader(content.length), content);
    }

    /** One attribute and the length of a content. */
    static byte[] packetHeader(final long contentLength) {
        final ByteBuf packet = Unpooled.buffer();
        PacketEncoder.writeHeader(packet, Map.of("name", "value"), contentLength);
        return ByteBufUtil.getBytes(packet);
    }

    static byte[] compressed(final byte[] plain) {
        final ByteBuf deflated = Unpooled.buffer();
        try (ChunkDeflater deflater = new ChunkDeflater()) {
            deflater.deflate(Unpooled.wrappedBuffer(plain), deflated);
            deflater.endPacket(deflated);
        }
        return ByteBufUtil.getBytes(deflated);
    }

    /** A chunk that claims 2 GiB of plain bytes and has one deflated byte of 2 GiB. */
    static byte[] hugeChunk() {
        return of(out -> {
            out.writeBytes("SYNC");
            out.writeInt(Integer.MAX_VALUE);
            out.writeInt(Integer.MAX_VALUE);
            out.write(new byte[Long.BYTES]);
        });
    }

    static byte[] say(final ResponseCode code) {
        return code.getCodeSequence();
    }

    static byte[] say(final ResponseCode code, final String text) {
        return all(code.getCodeSequence(), utf(text));
    }

    static String checksum(final byte[] plain) {
        final CRC32 checksum = new CRC32();
        checksum.update(plain);
        return String.valueOf(checksum.getValue());
    }
}
