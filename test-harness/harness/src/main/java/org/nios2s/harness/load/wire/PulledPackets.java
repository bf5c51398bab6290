// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.nios2s.harness.sink.Parcel;
import org.nios2s.wire.ChunkInflater;
import org.nios2s.wire.PacketDecoder;
import org.nios2s.wire.ProtocolException;

/**
 * The packets of one pull transaction, taken apart: what is found in each of them stays, and the checksum of all. Lives on the connection's event loop.
 */
final class PulledPackets implements PacketDecoder.Handler {

    private static final int MAX_ATTRIBUTE_BYTES = 64 * 1024 * 1024;
    private static final int STEP_BYTES = 8 * 1024;

    private final ChunkInflater inflater;
    private final ByteBuf plain = Unpooled.buffer(STEP_BYTES);
    private PacketDecoder decoder;
    private boolean decoded;
    private List<Parcel> parcels;
    private CRC32C content;
    private Map<String, String> attributes;
    private long length;

    PulledPackets(final boolean gzip) {
        this.inflater = gzip ? new ChunkInflater() : null;
    }

    void reset() {
        decoder = new PacketDecoder(this, MAX_ATTRIBUTE_BYTES);
        parcels = new ArrayList<>();
    }

    /** The contents of the transaction's packets. */
    List<Parcel> parcels() {
        return parcels;
    }

    long checksum() {
        return decoder.checksum();
    }

    /** Takes what belongs to a packet: whether it is complete; then the next bytes are those of another. */
    boolean decode(final ByteBuf in) throws ProtocolException {
        return inflater == null ? decoder.decode(in) : inflate(in);
    }

    private boolean inflate(final ByteBuf in) throws ProtocolException {
        boolean progress = true;
        while (progress && !decoded) {
            plain.discardReadBytes().ensureWritable(STEP_BYTES);
            progress = inflater.inflate(in, plain);
            decoded = plain.isReadable() && decoder.decode(plain);
        }
        progress = decoded;
        while (progress) {
            progress = inflater.finishChunk(in, plain.clear());
        }
        if (!decoded || !inflater.isBetweenChunks()) {
            return false;
        }
        inflater.nextPacket();
        decoded = false;
        return true;
    }

    @Override
    public void packetBegins(final Map<String, String> found, final long contentLength) {
        attributes = found;
        length = 0;
        content = new CRC32C();
    }

    @Override
    public void content(final ByteBuf in, final int more) {
        for (final ByteBuffer part : in.nioBuffers(in.readerIndex(), more)) {
            content.update(part);
        }
        in.skipBytes(more);
        length += more;
    }

    @Override
    public void packetEnds() {
        parcels.add(Parcel.of(attributes, 0, length, content));
    }
}
