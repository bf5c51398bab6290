// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.Map;
import java.util.zip.CRC32;
import org.apache.nifi.remote.exception.ProtocolException;
import org.apache.nifi.remote.protocol.RequestType;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.harness.load.PacketId;
import org.nios2s.wire.ModifiedUtf8;
import org.nios2s.wire.PacketEncoder;
import org.nios2s.wire.ResponseMessage;

/**
 * Writes the packets of a transaction, from the request to FINISH_TRANSACTION. Immutable but for the content's reader
 * index, which it never moves; used on every event loop.
 */
final class TransactionWriter {

    /** Content up to this size is copied beside the packet's head; a larger one is written as it lies in memory. */
    private static final int COPIED_CONTENT_BYTES = 16 * 1024;

    private static final int HEAD_BYTES = 64;

    private final String run;
    private final int packets;
    private final ByteBuf content;

    /**
     * A writer for one run.
     *
     * @param run     name of the run
     * @param packets packets per transaction
     * @param content what each packet holds
     */
    TransactionWriter(final String run, final int packets, final ByteBuf content) {
        this.run = run;
        this.packets = packets;
        this.content = content;
    }

    /**
     * Writes the request and all packets, and leaves the end of it, FINISH_TRANSACTION, in the returned buffer so that
     * the caller may wait for its write.
     *
     * @param context     where to write
     * @param client      number of the logical client
     * @param transaction number of its transaction
     * @param checksum    receives the checksum of the packets
     * @return what remains to be written and flushed
     * @throws ProtocolException when a name is too long for the protocol
     */
    ByteBuf write(final ChannelHandlerContext context, final int client, final int transaction, final CRC32 checksum)
            throws ProtocolException {
        final int size = content.readableBytes();
        final boolean copied = size <= COPIED_CONTENT_BYTES;
        ByteBuf out = context.alloc().buffer(HEAD_BYTES + (copied ? packets * (HEAD_BYTES + size) : 0));
        ModifiedUtf8.write(out, RequestType.SEND_FLOWFILES.name());
        for (int packet = 0; packet < packets; packet++) {
            if (packet > 0) {
                ResponseMessage.write(out, ResponseCode.CONTINUE_TRANSACTION);
            }
            final int from = out.writerIndex();
            final String id = new PacketId(run, client, transaction, packet).toString();
            PacketEncoder.writeHeader(out, Map.of(PacketId.ATTRIBUTE, id), size);
            if (copied) {
                out.writeBytes(content, content.readerIndex(), size);
            }
            checksum.update(out.nioBuffer(from, out.writerIndex() - from));
            if (!copied) {
                checksum.update(content.nioBuffer());
                context.write(out, context.voidPromise());
                context.write(content.duplicate(), context.voidPromise());
                out = context.alloc().buffer(HEAD_BYTES);
            }
        }
        ResponseMessage.write(out, ResponseCode.FINISH_TRANSACTION);
        return out;
    }
}
