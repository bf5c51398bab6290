// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.Map;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.remote.exception.ProtocolException;
import org.nios2s.listener.transaction.InboundTransaction;
import org.nios2s.listener.transaction.StreamingTransaction;
import org.nios2s.wire.ChunkInflater;
import org.nios2s.wire.PacketDecoder;

/**
 * What the steps of one push transaction share while its packets arrive: the decoder, the inflater if packets are
 * compressed, and the transaction that they fill, in memory or, when it has outgrown it, streaming. Lives on the
 * connection's IO worker.
 */
final class Reception implements PacketDecoder.Handler {
    /** Names and values of one packet's attributes, in bytes: they are held in memory until the packet is complete. */
    private static final int MAX_ATTRIBUTE_BYTES = 16 * 1024 * 1024;

    /** Plain bytes that are inflated in one go: little, so that the budget is asked often. */
    private static final int INFLATED_BYTES = 16 * 1024;

    private final PeerConnection connection;
    private final InboundTransaction inMemory;
    private final PacketDecoder decoder = new PacketDecoder(this, MAX_ATTRIBUTE_BYTES);
    private final ChunkInflater inflater;
    private ByteBuf inflated;
    private StreamingTransaction streaming;

    Reception(final PeerConnection connection) {
        final ListenerContext listener = connection.listener();
        this.connection = connection;
        this.inMemory = new InboundTransaction(
                connection,
                listener.budget(),
                listener.settings().transactionMemory(),
                connection.channel().alloc());
        this.inflater = connection.handshake().isUseGzip() ? new ChunkInflater() : null;
    }

    PeerConnection connection() {
        return connection;
    }

    @Override
    public void packetBegins(final Map<String, String> attributes, final long contentLength) throws ProtocolException {
        requireNames(attributes);
        sink().packetBegins(attributes, contentLength);
    }

    @Override
    public void content(final ByteBuf in, final int length) throws ProtocolException {
        if (streaming == null || inflater == null) {
            sink().content(in, length);
            return;
        }
        // What was inflated is overwritten by what follows, and a streaming transaction writes later.
        final ByteBuf copy = in.readBytes(length);
        try {
            streaming.content(copy, length);
        } finally {
            copy.release();
        }
    }

    @Override
    public void packetEnds() throws ProtocolException {
        sink().packetEnds();
    }

    private PacketDecoder.Handler sink() {
        return streaming == null ? inMemory : streaming;
    }

    /** @return the CRC32 of all packets, as the wire has it */
    String checksum() {
        return String.valueOf(decoder.checksum());
    }

    /** NiFi would refuse them too, but only when the transaction, and others with it, is to be committed. */
    private static void requireNames(final Map<String, String> attributes) throws ProtocolException {
        try {
            attributes.keySet().forEach(FlowFile.KeyValidator::validateKey);
        } catch (final IllegalArgumentException e) {
            throw new ProtocolException("A packet has an attribute that NiFi does not take: " + e.getMessage(), e);
        }
    }

    /** @return whether the current packet is complete; if not, bytes are missing or it is our turn */
    boolean receivePacket(final ByteBuf in) throws IOException {
        if (inflater == null) {
            final boolean complete = decoder.decode(in);
            settle();
            return complete;
        }
        if (inflated == null) {
            inflated = connection.allocate(INFLATED_BYTES);
        }
        boolean progress = true;
        while (progress && !hasOutgrownMemory() && !isBehind()) {
            // Keeps the bytes of a field that is not complete yet.
            inflated.discardReadBytes();
            progress = inflater.inflate(in, inflated);
            final boolean complete = decoder.decode(inflated);
            settle();
            if (complete) {
                return true;
            }
        }
        if (!progress && inflater.isAtEnd() && !hasOutgrownMemory() && !isBehind()) {
            throw new ProtocolException("The last chunk of a compressed packet ends before the packet does");
        }
        return false;
    }

    private void settle() {
        if (streaming == null) {
            inMemory.settle(decoder.heldBytes());
        }
    }

    /** @return whether the transaction needs a session of its own to go on */
    boolean hasOutgrownMemory() {
        return streaming == null && inMemory.hasOutgrownMemory();
    }

    /** @return whether reading has to pause until what has arrived is written */
    boolean isBehind() {
        return streaming != null && streaming.isBehind();
    }

    /** @param resume called once, on any thread, when reading may go on */
    void awaitCaughtUp(final Runnable resume) {
        streaming.awaitCaughtUp(resume);
    }

    /** The transaction has got its session. */
    void streamInto(final StreamingTransaction transaction) {
        streaming = transaction;
        inMemory.moveTo(transaction);
    }

    /** The next packet of the transaction is awaited. */
    void nextPacket() {
        if (streaming == null) {
            inMemory.awaitPacket();
        } else {
            streaming.awaitPacket();
        }
        if (inflater != null) {
            inflater.nextPacket();
        }
    }

    /** @return whether the compressed packet's last chunk has been consumed; true where packets are not compressed */
    boolean finishChunk(final ByteBuf in) throws IOException {
        return inflater == null || inflater.finishChunk(in, inflated);
    }

    /** The packets are complete: what decoding them took is given back, the transaction stays. */
    void end() {
        if (inflater != null) {
            inflater.close();
        }
        if (inflated != null) {
            inflated.release();
            inflated = null;
        }
    }

    /** Both sides have confirmed. */
    Step commit() {
        return streaming == null
                ? new AwaitCommitStep(connection, inMemory).begin()
                : new CommitStreamedStep(connection, streaming).begin();
    }

    /** Nothing comes of it. */
    void abandon() {
        end();
        if (streaming == null) {
            inMemory.abandon();
        } else {
            streaming.abandon();
        }
    }
}
