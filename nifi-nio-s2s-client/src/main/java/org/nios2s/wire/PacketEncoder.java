/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
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
        out.ensureWritable(Integer.BYTES + ByteBufUtil.utf8Bytes(value));
        final int lengthIndex = out.writerIndex();
        out.writeInt(0);
        out.setInt(lengthIndex, out.writeCharSequence(value, StandardCharsets.UTF_8));
    }
}
