// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessSession;
import org.nios2s.listener.MemoryBudget;
import org.nios2s.listener.PeerFault;
import org.nios2s.wire.PacketDecoder;

/**
 * A push transaction that does not fit into memory: what arrives is written to NiFi's content repository at once, in a
 * session of its own. The connection's IO worker adds pieces; a content worker, one at a time, writes them in order and
 * is the only one who touches the session.
 *
 * <p>A content worker writes for a turn, then goes behind the others that wait for one: a fast sender takes no worker from
 * the rest. Nothing waits: when the writer is behind, the connection stops reading until it has caught up. Whatever ends the
 * transaction, the writer does it, behind all pieces before.
 */
public final class StreamingTransaction implements PacketDecoder.Handler {
    /**
     * With so many bytes to write the writer is behind, and reading pauses. What many transactions have waiting is to be
     * written while the processor's caches still hold it.
     */
    private static final long BEHIND_BYTES = 256 * 1024;

    /** With so few it has caught up; with more it is behind already while the budget is exhausted. */
    private static final long CAUGHT_UP_BYTES = 64 * 1024;

    /** After so many bytes a content worker turns to the next transaction that has something to write. */
    private static final long TURN_BYTES = 1024 * 1024;

    /** What NiFi's repository is given in one go: as much as is read from a socket at a time, in few system calls. */
    private static final int CHUNK_BYTES = 64 * 1024;

    /** One per content worker. */
    private static final ThreadLocal<byte[]> CHUNK = ThreadLocal.withInitial(() -> new byte[CHUNK_BYTES]);

    private final TransactionPeer peer;
    private final TransactionSession held;
    private final MemoryBudget budget;
    private final Executor contentWorkers;
    private final Consumer<PeerFault> failureReport;

    private final Queue<Piece> pieces = new ConcurrentLinkedQueue<>();
    private final AtomicLong unwrittenBytes = new AtomicLong();
    private final AtomicBoolean writing = new AtomicBoolean();
    private final AtomicReference<Runnable> resume = new AtomicReference<>();
    private volatile boolean abandoned;

    // The content worker's alone; handed from one to the next through 'writing'.
    private FlowFile flowFile;
    private OutputStream content;
    private Map<String, String> attributes;
    private boolean over;
    private volatile boolean rolledBack;
    private int flowFiles;
    private long bytes;

    // The IO worker's alone.
    private long packetStartNanos = System.nanoTime();

    /** Something for the writer to do, which holds memory until it is written or discarded. */
    private abstract class Piece {
        private final long heldBytes;
        private boolean held = true;

        Piece(final long heldBytes) {
            this.heldBytes = heldBytes;
            budget.charge(heldBytes);
            unwrittenBytes.addAndGet(heldBytes);
        }

        abstract void write() throws IOException;

        /** What it holds is given back, once. */
        final void release() {
            if (held) {
                held = false;
                free();
                budget.release(heldBytes);
                unwrittenBytes.addAndGet(-heldBytes);
                resumeIfCaughtUp();
            }
        }

        void free() {}
    }

    /**
     * @param held the session, of which this is from now on the holder
     * @param failureReport hears, on any thread, if something could not be written; the transaction is then rolled back
     */
    public StreamingTransaction(
            final TransactionPeer peer,
            final TransactionSession held,
            final MemoryBudget budget,
            final Executor contentWorkers,
            final Consumer<PeerFault> failureReport) {
        this.peer = peer;
        this.held = held;
        this.budget = budget;
        this.contentWorkers = contentWorkers;
        this.failureReport = failureReport;
    }

    @Override
    public void packetBegins(final Map<String, String> packetAttributes, final long contentLength) {
        add(new PacketPiece(packetAttributes));
    }

    @Override
    public void content(final ByteBuf in, final int length) {
        add(new ContentPiece(in.readRetainedSlice(length)));
    }

    @Override
    public void packetEnds() {
        endPacket(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - packetStartNanos));
    }

    /** The next packet's first byte is awaited from now on. */
    public void awaitPacket() {
        packetStartNanos = System.nanoTime();
    }

    /** @param transferMillis how long the packet took to arrive */
    void endPacket(final long transferMillis) {
        add(new PacketEnd(transferMillis));
    }

    /**
     * Commits, behind everything that was added.
     *
     * @param report hears the outcome, on any thread
     */
    public void commit(final Consumer<Outcome> report) {
        add(new Commit(report));
    }

    /** Rolls back, without writing what is still to be written. */
    public void abandon() {
        abandoned = true;
        startWriting();
    }

    /** @return whether reading has to pause */
    public boolean isBehind() {
        return unwrittenBytes.get() > (budget.isExhausted() ? CAUGHT_UP_BYTES : BEHIND_BYTES);
    }

    /**
     * @param caughtUp called once, on any thread, when reading may go on; must not block
     */
    public void awaitCaughtUp(final Runnable caughtUp) {
        resume.set(caughtUp);
        resumeIfCaughtUp();
    }

    private void resumeIfCaughtUp() {
        if (unwrittenBytes.get() <= CAUGHT_UP_BYTES) {
            final Runnable caughtUp = resume.getAndSet(null);
            if (caughtUp != null) {
                caughtUp.run();
            }
        }
    }

    private void add(final Piece piece) {
        pieces.add(piece);
        startWriting();
    }

    private void startWriting() {
        if (writing.compareAndSet(false, true)) {
            contentWorkers.execute(this::writeForATurn);
        }
    }

    /** Content worker. */
    private void writeForATurn() {
        final long turnEnds = bytes + TURN_BYTES;
        Piece piece = pieces.poll();
        while (piece != null) {
            writeOrDiscard(piece);
            if (bytes >= turnEnds && !abandoned) {
                contentWorkers.execute(this::writeForATurn);
                return;
            }
            piece = pieces.poll();
        }
        if (abandoned && !rolledBack) {
            rollback();
        }
        writing.set(false);
        // Who added something, or abandoned, while we were leaving found us still writing.
        if (!pieces.isEmpty() || abandoned && !rolledBack) {
            startWriting();
        }
    }

    private void writeOrDiscard(final Piece piece) {
        try {
            if (!abandoned && !over) {
                piece.write();
            }
        } catch (final IOException | RuntimeException e) {
            abandoned = true;
            failureReport.accept(new PeerFault(
                    PeerFault.Kind.COMMIT_FAILED, "The transaction could not be written and is rolled back", e));
        } finally {
            piece.release();
        }
    }

    /** A commit that was asked for, and has not been served yet, is taken back. */
    private void rollback() {
        over = true;
        rolledBack = true;
        try {
            closeContent();
        } catch (final IOException | RuntimeException e) {
            failureReport.accept(
                    new PeerFault(PeerFault.Kind.COMMIT_FAILED, "The content of a transaction could not be closed", e));
        }
        held.rollback();
    }

    private void closeContent() throws IOException {
        if (content != null) {
            final OutputStream closing = content;
            content = null;
            closing.close();
        }
    }

    private ProcessSession session() {
        return held.session();
    }

    /** @return FlowFiles written; to be read when the transaction is over */
    public int flowFiles() {
        return flowFiles;
    }

    /** @return bytes of content written; to be read when the transaction is over */
    public long bytes() {
        return bytes;
    }

    /** A packet begins: its attributes. */
    private final class PacketPiece extends Piece {
        private final Map<String, String> packetAttributes;

        PacketPiece(final Map<String, String> packetAttributes) {
            super(AttributeMemory.of(packetAttributes));
            this.packetAttributes = packetAttributes;
        }

        @Override
        void write() {
            attributes = packetAttributes;
            flowFile = session().create();
        }
    }

    /** Bytes of the current packet's content. */
    private final class ContentPiece extends Piece {
        private final ByteBuf buffer;

        ContentPiece(final ByteBuf buffer) {
            super(buffer.readableBytes());
            this.buffer = buffer;
        }

        @Override
        void write() throws IOException {
            if (content == null) {
                content = session().write(flowFile);
            }
            final byte[] chunk = CHUNK.get();
            while (buffer.isReadable()) {
                final int length = Math.min(buffer.readableBytes(), chunk.length);
                buffer.readBytes(chunk, 0, length);
                content.write(chunk, 0, length);
                bytes += length;
            }
        }

        @Override
        void free() {
            buffer.release();
        }
    }

    /** The current packet is complete. */
    private final class PacketEnd extends Piece {
        private final long transferMillis;

        PacketEnd(final long transferMillis) {
            super(0);
            this.transferMillis = transferMillis;
        }

        @Override
        void write() throws IOException {
            closeContent();
            ReceivedFlowFile.complete(session(), flowFile, attributes, peer, transferMillis);
            flowFiles++;
        }
    }

    /** Both sides have confirmed. */
    private final class Commit extends Piece {
        private final Consumer<Outcome> report;

        Commit(final Consumer<Outcome> report) {
            super(0);
            this.report = report;
        }

        @Override
        void write() {
            over = true;
            held.commit(report);
        }
    }
}
