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
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** Updates a CRC32 with bytes of a buffer, without copying them. Stateless; any thread. */
public final class Checksum {
    private Checksum() {}

    /**
     * @param index of the first byte in {@code bytes}
     * @param length number of bytes
     */
    public static void update(final CRC32 checksum, final ByteBuf bytes, final int index, final int length) {
        if (bytes.hasArray()) {
            checksum.update(bytes.array(), bytes.arrayOffset() + index, length);
        } else if (bytes.nioBufferCount() == 1) {
            checksum.update(bytes.internalNioBuffer(index, length));
        } else {
            for (final ByteBuffer part : bytes.nioBuffers(index, length)) {
                checksum.update(part);
            }
        }
    }
}
