// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.PacketFactory;
import org.nios2s.wire.Checksum;
import org.nios2s.wire.ChunkDeflater;
import org.nios2s.wire.ModifiedUtf8;
import org.nios2s.wire.PacketEncoder;
import org.nios2s.wire.ProtocolException;
import org.nios2s.wire.RequestType;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;

/**
 * Writes the packets of a transaction, from the request to FINISH_TRANSACTION. Immutable but for the content's reader
 * index, which it never moves; used on every event loop.
 */
record TransactionWriter(PacketFactory packets, boolean gzip, boolean byField) {

    /** Content up to this size is copied beside the packet's head; a larger one is written as it lies in memory. */
    private static final int COPIED_CONTENT_BYTES = 16 * 1024;

    private static final int HEAD_BYTES = 64;

    TransactionWriter(final String run, final Shape shape) {
        this(new PacketFactory(run, shape), shape.gzip(), false);
    }

    /** A writer that hands every length, text and content to the socket by itself, as MiNiFi C++ does. */
    static TransactionWriter byField(final String run, final Shape shape) {
        return new TransactionWriter(new PacketFactory(run, shape), false, true);
    }

    /** Writes a transaction up to FINISH_TRANSACTION, adds its packets to a checksum, and returns what is unwritten. */
    ByteBuf write(final ChannelHandlerContext context, final int client, final int transaction, final CRC32 checksum)
            throws ProtocolException {
        ByteBuf out = context.alloc().buffer(HEAD_BYTES * packets.shape().packets());
        ModifiedUtf8.write(out, RequestType.SEND_FLOWFILES.name());
        for (int packet = 0; packet < packets.shape().packets(); packet++) {
            if (packet > 0) {
                ResponseMessage.write(out, ResponseCode.CONTINUE_TRANSACTION);
            }
            final byte[] content = packets.content(client, transaction, packet);
            final Map<String, String> attributes = packets.attributes(client, transaction, packet);
            if (byField) {
                context.writeAndFlush(out, context.voidPromise());
                writeFields(context, new TreeMap<>(attributes), content, checksum);
                out = context.alloc().buffer(HEAD_BYTES);
                continue;
            }
            if (gzip) {
                writeCompressed(out, attributes, content, checksum);
                continue;
            }
            final int from = out.writerIndex();
            PacketEncoder.writeHeader(out, attributes, content.length);
            final boolean copied = content.length <= COPIED_CONTENT_BYTES;
            if (copied) {
                out.writeBytes(content);
            }
            Checksum.update(checksum, out, from, out.writerIndex() - from);
            if (!copied) {
                checksum.update(content);
                context.write(out, context.voidPromise());
                context.write(Unpooled.wrappedBuffer(content), context.voidPromise());
                out = context.alloc().buffer(HEAD_BYTES);
            }
        }
        ResponseMessage.write(out, ResponseCode.FINISH_TRANSACTION);
        return out;
    }

    private static void writeFields(
            final ChannelHandlerContext context,
            final Map<String, String> attributes,
            final byte[] content,
            final CRC32 checksum) {
        field(
                context,
                ByteBuffer.allocate(Integer.BYTES).putInt(attributes.size()).array(),
                checksum);
        attributes.forEach((name, value) -> {
            text(context, name, checksum);
            text(context, value, checksum);
        });
        field(context, ByteBuffer.allocate(Long.BYTES).putLong(content.length).array(), checksum);
        field(context, content, checksum);
    }

    private static void text(final ChannelHandlerContext context, final String text, final CRC32 checksum) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        field(context, ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array(), checksum);
        field(context, bytes, checksum);
    }

    private static void field(final ChannelHandlerContext context, final byte[] bytes, final CRC32 checksum) {
        checksum.update(bytes);
        context.writeAndFlush(Unpooled.wrappedBuffer(bytes), context.voidPromise());
    }

    private static void writeCompressed(
            final ByteBuf out, final Map<String, String> attributes, final byte[] content, final CRC32 checksum) {
        final ByteBuf head = Unpooled.buffer(HEAD_BYTES);
        PacketEncoder.writeHeader(head, attributes, content.length);
        final ByteBuf plain = Unpooled.wrappedBuffer(head, Unpooled.wrappedBuffer(content));
        Checksum.update(checksum, plain, 0, plain.readableBytes());
        try (ChunkDeflater deflater = new ChunkDeflater()) {
            deflater.deflate(plain, out);
            deflater.endPacket(out);
        } finally {
            plain.release();
        }
    }
}
