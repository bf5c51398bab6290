// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Writes what stands before a packet's content in the {@code StandardFlowFileCodec}: attributes and content length.
 * Stateless; any thread.
 */
public final class PacketEncoder {
    private PacketEncoder() {}

    /**
     * Writes the head of a packet; its content follows as it is.
     *
     * @param attributes names and values, at most {@link PacketDecoder#MAX_ATTRIBUTES}
     * @param contentLength bytes of content that follow
     */
    public static void writeHeader(final ByteBuf out, final Map<String, String> attributes, final long contentLength) {
        writeHeader(out, attributes, contentLength, bytes -> {});
    }

    /** @param written is told of the length of each field, when it is written */
    public static void writeHeader(
            final ByteBuf out,
            final Map<String, String> attributes,
            final long contentLength,
            final IntConsumer written) {
        writeInt(out, attributes.size(), written);
        attributes.forEach((name, value) -> {
            writeString(out, name, written);
            writeString(out, value, written);
        });
        out.writeLong(contentLength);
        written.accept(Long.BYTES);
    }

    private static void writeInt(final ByteBuf out, final int value, final IntConsumer written) {
        out.writeInt(value);
        written.accept(Integer.BYTES);
    }

    private static void writeString(final ByteBuf out, final String value, final IntConsumer written) {
        final byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
        writeInt(out, encoded.length, written);
        out.writeBytes(encoded);
        written.accept(encoded.length);
    }
}
