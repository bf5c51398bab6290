// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Map;

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
        out.writeInt(attributes.size());
        attributes.forEach((name, value) -> {
            writeString(out, name);
            writeString(out, value);
        });
        out.writeLong(contentLength);
    }

    private static void writeString(final ByteBuf out, final String value) {
        final byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
        out.writeInt(encoded.length);
        out.writeBytes(encoded);
    }
}
