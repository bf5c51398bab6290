// SPDX-License-Identifier: Apache-2.0
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
