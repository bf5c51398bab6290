// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.nios2s.listener.MemoryBudget;
import org.nios2s.wire.PacketDecoder;

/**
 * A push transaction that fits into memory: what a peer sends, from its first packet until a port task has committed
 * it. Received on the connection's IO worker, then owned by exactly one side: {@link #claim()} and {@link #abandon()}
 * decide between the port task and the IO worker.
 */
public final class InboundTransaction implements PacketDecoder.Handler {
    private static final int INITIAL_CONTENT_BYTES = 256;

    /** Where a transaction stands. */
    public enum State {
        /** Packets arrive, or the peer has yet to confirm them. */
        RECEIVING,
        /** Confirmed by both sides; waits for a port task. */
        READY,
        /** A port task writes and commits it. */
        IN_SERVICE,
        /** Nobody's any more. */
        ENDED
    }

    private final TransactionPeer peer;
    private final MemoryBudget budget;
    private final long maxBytes;
    private final ByteBufAllocator allocator;
    private final List<ReceivedPacket> packets = new ArrayList<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.RECEIVING);

    private ByteBuf contents;
    private long charged;
    private long attributeMemory;
    private Map<String, String> attributes;
    private long contentLength;
    private int contentOffset;
    private long packetStartNanos;
    private long readyNanos;

    /**
     * @param peer who sends it
     * @param budget what its memory is charged to
     * @param maxBytes of memory, beyond which it has outgrown it
     * @param allocator for its contents
     */
    public InboundTransaction(
            final TransactionPeer peer,
            final MemoryBudget budget,
            final long maxBytes,
            final ByteBufAllocator allocator) {
        this.peer = peer;
        this.budget = budget;
        this.maxBytes = maxBytes;
        this.allocator = allocator;
        this.packetStartNanos = System.nanoTime();
    }

    @Override
    public void packetBegins(final Map<String, String> packetAttributes, final long length) {
        attributes = packetAttributes;
        contentLength = length;
        contentOffset = contentBytes();
    }

    @Override
    public void content(final ByteBuf in, final int length) {
        if (contents == null) {
            contents = allocator.directBuffer(Math.max(INITIAL_CONTENT_BYTES, length));
        }
        contents.writeBytes(in, length);
    }

    @Override
    public void packetEnds() {
        attributeMemory += AttributeMemory.of(attributes);
        final long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - packetStartNanos);
        packets.add(new ReceivedPacket(attributes, contentOffset, contentBytes() - contentOffset, millis));
        attributes = null;
    }

    /** The next packet's first byte is awaited from now on. */
    public void awaitPacket() {
        packetStartNanos = System.nanoTime();
    }

    /**
     * Brings the charge up to what is held now.
     *
     * @param decoderBytes held by the decoder for it
     */
    public void settle(final int decoderBytes) {
        final long held = attributeMemory + decoderBytes + (contents == null ? 0 : contents.capacity());
        if (held > charged) {
            budget.charge(held - charged);
            charged = held;
        }
    }

    /** @return whether it takes too much memory, for itself or beside all the others */
    public boolean hasOutgrownMemory() {
        return charged > maxBytes || charged > MemoryBudget.RESERVE_PER_TRANSACTION && budget.isExhausted();
    }

    /** Passes on all that has arrived so far, and gives its memory back. */
    public void moveTo(final StreamingTransaction streaming) {
        for (final ReceivedPacket packet : packets) {
            streaming.packetBegins(packet.attributes(), packet.length());
            if (packet.length() > 0) {
                streaming.content(contents.slice(packet.offset(), packet.length()), packet.length());
            }
            streaming.endPacket(packet.transferMillis());
        }
        if (attributes != null) {
            streaming.packetBegins(attributes, contentLength);
            final int arrived = contentBytes() - contentOffset;
            if (arrived > 0) {
                streaming.content(contents.slice(contentOffset, arrived), arrived);
            }
        }
        abandon();
    }

    private int contentBytes() {
        return contents == null ? 0 : contents.writerIndex();
    }

    /** Both sides have confirmed: from now on a port task may claim it. */
    public void ready() {
        readyNanos = System.nanoTime();
        state.set(State.READY);
    }

    /** @return whether the caller, a port task, is now the one who ends it */
    public boolean claim() {
        return state.compareAndSet(State.READY, State.IN_SERVICE);
    }

    /**
     * The connection gives it up.
     *
     * @return false if a port task has it: then that one ends it
     */
    public boolean abandon() {
        if (state.compareAndSet(State.READY, State.ENDED) || state.compareAndSet(State.RECEIVING, State.ENDED)) {
            free();
            return true;
        }
        return false;
    }

    /** The port task is done with it. */
    public void end() {
        if (state.compareAndSet(State.IN_SERVICE, State.ENDED)) {
            free();
        }
    }

    private void free() {
        if (contents != null) {
            contents.release();
            contents = null;
        }
        budget.release(charged);
        charged = 0;
    }

    public State state() {
        return state.get();
    }

    public TransactionPeer peer() {
        return peer;
    }

    public List<ReceivedPacket> packets() {
        return packets;
    }

    /** @return bytes of content in all its packets */
    public long bytes() {
        return contentBytes();
    }

    /** @return when both sides had confirmed, as {@link System#nanoTime} */
    public long readyNanos() {
        return readyNanos;
    }

    /** Writes a packet's content. */
    public void writeContent(final ReceivedPacket packet, final OutputStream out) throws IOException {
        contents.getBytes(packet.offset(), out, packet.length());
    }
}
