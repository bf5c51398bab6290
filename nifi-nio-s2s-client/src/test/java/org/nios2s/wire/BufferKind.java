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
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;

/** The kinds of buffer in which bytes arrive from a socket. Any thread. */
enum BufferKind {
    HEAP {
        @Override
        ByteBuf wrap(final byte[] bytes) {
            return Unpooled.buffer(Math.max(1, bytes.length)).writeBytes(bytes);
        }
    },
    DIRECT {
        @Override
        ByteBuf wrap(final byte[] bytes) {
            return Unpooled.directBuffer(Math.max(1, bytes.length)).writeBytes(bytes);
        }
    },
    COMPOSITE {
        @Override
        ByteBuf wrap(final byte[] bytes) {
            final int third = bytes.length / 3;
            final CompositeByteBuf composite = Unpooled.compositeBuffer();
            composite.addComponent(true, Unpooled.copiedBuffer(bytes, 0, third));
            composite.addComponent(true, Unpooled.directBuffer(third + 1).writeBytes(bytes, third, third));
            composite.addComponent(true, Unpooled.copiedBuffer(bytes, 2 * third, bytes.length - 2 * third));
            return composite;
        }
    };

    /** @return the bytes in a buffer of this kind, which the caller releases */
    abstract ByteBuf wrap(byte[] bytes);
}
