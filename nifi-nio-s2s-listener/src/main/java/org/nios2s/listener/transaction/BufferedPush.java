// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.nios2s.listener.doubt.Fingerprint;
import org.nios2s.listener.doubt.PacketHash;
import org.nios2s.listener.doubt.Receipt;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.PortLimits.TransactionLease;
import org.nios2s.wire.AttributeMemory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A push transaction that fits into memory, from its first packet until a port task has committed it. Received on the
 * connection's IO worker, then owned by exactly one side: {@link #claim()} and {@link #abandon()} decide between the port task
 * and the IO worker.
 */
public final class BufferedPush implements PacketSink {
    private static final Logger logger = LoggerFactory.getLogger(BufferedPush.class);

    private static final int INITIAL_CONTENT_BYTES = 256;

    /** Contents beyond this gather in pieces, none of which is ever copied. A piece holds the rest of a packet within these bounds. */
    private static final int MAX_PIECE_BYTES = 64 * 1024;

    private static final int MIN_PIECE_BYTES = 16 * 1024;

    /** One per IO worker. */
    private static final ThreadLocal<PacketHash> HASH = ThreadLocal.withInitial(PacketHash::new);

    /** Where a transaction stands. */
    public enum State {
        /** Packets arrive, or the peer has yet to confirm them. */
        RECEIVING,
        /** Confirmed by both sides; waits for a port task. */
        READY,
        /** A port task writes and commits it. */
        IN_SERVICE,
        /** No thread uses it any more. */
        ENDED
    }

    /**
     * A packet, complete. Immutable but for the attributes, which belong to the thread that handles the transaction.
     *
     * @param attributes as sent, mutable
     * @param offset of its content among the contents of the transaction, in bytes
     * @param length of its content, in bytes
     * @param transferMillis how long it took from its first byte to its last
     */
    public record Packet(Map<String, String> attributes, int offset, int length, long transferMillis) {}

    private final TransactionPeer peer;
    private final TransactionLease lease;
    private final ByteBufAllocator allocator;
    private final Receipt receipt;
    private final List<Packet> packets = new ArrayList<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.RECEIVING);

    private ByteBuf contents;
    private long heldBytes;
    private Map<String, String> attributes;
    private long contentLength;
    private int contentOffset;
    private OutcomeListener listener;
    private long readyNanos;
    private CommitDeadline deadline = CommitDeadline.NONE;
    private List<Fingerprint> fingerprints = List.of();

    /**
     * @param lease what its memory is charged to; given back with its end
     * @param receipt of the transaction
     */
    public BufferedPush(
            final TransactionPeer peer,
            final TransactionLease lease,
            final ByteBufAllocator allocator,
            final Receipt receipt) {
        this.peer = peer;
        this.lease = lease;
        this.allocator = allocator;
        this.receipt = receipt;
    }

    @Override
    public void packetBegins(final Map<String, String> packetAttributes, final long length) {
        attributes = packetAttributes;
        contentLength = length;
        contentOffset = contentBytes();
        heldBytes += AttributeMemory.of(attributes);
    }

    @Override
    public void content(final ByteBuf in, final int length) {
        makeRoom(length);
        contents.writeBytes(in, length);
    }

    private void makeRoom(final int length) {
        if (contents != null && contents.writableBytes() >= length) {
            return;
        }
        final int before = contents == null ? 0 : contents.capacity();
        if (contents == null) {
            contents = allocator.directBuffer(Math.max(INITIAL_CONTENT_BYTES, length));
        } else if (before + length <= MAX_PIECE_BYTES) {
            contents.ensureWritable(length);
        } else {
            if (!(contents instanceof CompositeByteBuf)) {
                contents = allocator
                        .compositeDirectBuffer(Integer.MAX_VALUE)
                        .addComponent(true, contents.capacity(contents.writerIndex()));
            }
            contents.capacity(contents.writerIndex() + Math.max(length, pieceBytes()));
        }
        heldBytes += contents.capacity() - before;
    }

    private int pieceBytes() {
        final long restOfPacket = contentLength - (contentBytes() - contentOffset);
        return Math.clamp(restOfPacket, MIN_PIECE_BYTES, MAX_PIECE_BYTES);
    }

    @Override
    public void packetEnds(final long transferMillis) {
        packets.add(new Packet(attributes, contentOffset, contentBytes() - contentOffset, transferMillis));
        attributes = null;
    }

    /** Hands all received data to a streamed push, and the responsibility for their memory with it. */
    public void moveTo(final StreamedPush streaming) {
        try {
            for (final Packet packet : packets) {
                streaming.packetBegins(packet.attributes(), packet.length());
                pass(packet.offset(), packet.length(), streaming);
                streaming.packetEnds(packet.transferMillis());
            }
            if (attributes != null) {
                streaming.packetBegins(attributes, contentLength);
                pass(contentOffset, contentBytes() - contentOffset, streaming);
            }
        } finally {
            state.set(State.ENDED);
            packets.clear();
            releaseContents();
            lease.charge().add(-heldBytes);
        }
    }

    private void pass(final int offset, final int length, final StreamedPush streaming) {
        if (length > 0) {
            streaming.content(contents.slice(offset, length), length);
        }
    }

    /**
     * Both sides have confirmed: from now on a port task may claim it.
     *
     * @param outcomeListener called on the IO worker
     * @param commitDeadline until when it may be committed
     * @param nowNanos when that is
     */
    public void ready(final OutcomeListener outcomeListener, final CommitDeadline commitDeadline, final long nowNanos) {
        listener = outcomeListener;
        deadline = commitDeadline;
        readyNanos = nowNanos;
        if (receipt.isKept()) {
            fingerprints = fingerprints();
        }
        state.set(State.READY);
    }

    private List<Fingerprint> fingerprints() {
        final PacketHash hash = HASH.get();
        final List<Fingerprint> all = new ArrayList<>(packets.size());
        packets.forEach(packet -> all.add(hash.of(packet.attributes, contents, packet.offset, packet.length)));
        return all;
    }

    /** @return since when it is ready, as {@link System#nanoTime} */
    public long readyNanos() {
        return readyNanos;
    }

    /** @return whether the caller, a port task, is now the one who ends it */
    public boolean claim() {
        return state.compareAndSet(State.READY, State.IN_SERVICE);
    }

    /** @return whether its peer has stopped waiting for it, so that it may not be committed any more */
    public boolean isPastDeadline(final long nowNanos) {
        return deadline.hasPassed(nowNanos);
    }

    /**
     * The connection gives it up.
     *
     * @return false if a port task has claimed the transaction, and will end it
     */
    public boolean abandon() {
        if (state.compareAndSet(State.READY, State.ENDED) || state.compareAndSet(State.RECEIVING, State.ENDED)) {
            free();
            return true;
        }
        return false;
    }

    /**
     * Its port task has committed it, or will not: ends it, and has its peer told. Only the first call does so. Never fails, so that an
     * error with one transaction keeps no other from its answer.
     */
    public void complete(final Outcome outcome) {
        if (state.get() == State.IN_SERVICE) {
            // First the receipt: a peer that has its answer may send again at once.
            Guarded.run("Remembering what became of a transaction", () -> receipt.ended(outcome.fault() == null));
            Guarded.run("The answer to a peer", () -> tell(outcome));
        }
    }

    private void tell(final Outcome outcome) {
        try {
            peer.worker().execute(() -> Guarded.run("The answer to a peer", () -> listener.completed(outcome)));
        } catch (final RejectedExecutionException e) {
            logger.debug("The listener has stopped: a peer gets no answer", e);
        } finally {
            state.set(State.ENDED);
            free();
        }
    }

    private void free() {
        releaseContents();
        lease.close();
    }

    private void releaseContents() {
        if (contents != null) {
            contents.release();
            contents = null;
        }
    }

    public State state() {
        return state.get();
    }

    public TransactionPeer peer() {
        return peer;
    }

    public List<Packet> packets() {
        return packets;
    }

    /** @return bytes of all contents */
    public int contentBytes() {
        return contents == null ? 0 : contents.writerIndex();
    }

    /** @return why it can't be committed yet, or null if it can; on the port task that has claimed it, before it is written */
    public ConnectionFault claimReceipt() {
        return receipt.claim(fingerprints);
    }

    /** @return whether the packet was committed before, and is not to be written; on the port task */
    public boolean isRepetition(final int index) {
        return receipt.isRepetition(index);
    }

    /** @return bytes of memory that it holds, for contents and attributes */
    public long bytes() {
        return heldBytes;
    }

    /** Writes a packet's content. */
    public void writeContent(final Packet packet, final OutputStream out) throws IOException {
        contents.getBytes(packet.offset(), out, packet.length());
    }
}
