// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.nifi.flowfile.FlowFile;
import org.nios2s.listener.doubt.Fingerprint;
import org.nios2s.listener.doubt.PacketHash;
import org.nios2s.listener.doubt.Receipt;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.PortLimits.TransactionLease;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.wire.AttributeMemory;

/**
 * A push transaction that does not fit into memory: what arrives is written to NiFi's content repository at once, in a
 * session of its own. The connection's IO worker adds pieces; a content worker, one at a time, writes them in order and
 * is the only one who touches the session.
 *
 * <p>A content worker writes for a turn, then goes behind the others that wait for one: a fast sender takes no worker from
 * the rest. When the writer is behind, the connection stops reading until it has caught up. Whatever ends the transaction,
 * the writer does it, behind all pieces before, and once.
 */
public final class StreamedPush implements PacketSink, OutcomeListener {
    /**
     * With more unwritten bytes reading pauses. The bound is low, so that the bytes of many transactions are written while the
     * processor's caches still hold them.
     */
    private static final long HIGH_WATERMARK_BYTES = 256 * 1024;

    /** With so few unwritten bytes reading continues. */
    private static final long LOW_WATERMARK_BYTES = 64 * 1024;

    /** Both bounds where the budget has no room for more than the transaction has reserved. */
    private static final long RESERVED_BYTES = MemoryBudget.SMALL_BYTES;

    /** After so many bytes a content worker turns to the next transaction that has something to write. */
    private static final long TURN_BYTES = 1024 * 1024;

    /**
     * Bytes that NiFi's repository gets in one call. With 64 KiB, Linux took up to three times as much processor time for the same
     * bytes in some runs of a loop of writes; with 32 KiB each run took about the same.
     */
    private static final int CHUNK_BYTES = 32 * 1024;

    /** How many times as large as the piece its buffer may be; from a larger one it is copied. */
    private static final int MAX_BUFFER_PER_PIECE = 2;

    /** Memory of a piece in addition to its bytes: its objects, and at least 256 bytes of the buffer in which it came. */
    private static final int PIECE_OVERHEAD_BYTES = 500;

    /** One per content worker. */
    private static final ThreadLocal<byte[]> CHUNK = ThreadLocal.withInitial(() -> new byte[CHUNK_BYTES]);

    private final HeldSession held;
    private final TransactionLease lease;
    private final Executor contentWorkers;
    private final ListenerMetrics metrics;
    private final Consumer<ConnectionFault> failureReport;
    private final Receipt receipt;

    private final Queue<Piece> pieces = new ConcurrentLinkedQueue<>();
    private final AtomicLong unwrittenBytes = new AtomicLong();
    private final AtomicBoolean writing = new AtomicBoolean();
    private final AtomicReference<Runnable> resume = new AtomicReference<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

    /** For the IO worker. */
    private Grant cover;

    // Used by one content worker at a time; the next one sees them because it has set 'writing'.
    private FlowFile flowFile;
    private OutputStream content;
    private Map<String, String> attributes;
    private OutcomeListener listener;
    private int flowFiles;
    private long bytes;
    /** Null where nothing is remembered. */
    private final PacketHash hash;

    private long packetBytes;
    private final List<Fingerprint> fingerprints = new ArrayList<>();
    private final List<Suspended> suspended = new ArrayList<>();
    /** How many packets of a fingerprint are suspended. */
    private final Map<Fingerprint, Integer> suspendedLikes = new HashMap<>();

    /** Whether pieces are written; only forwards. */
    private enum State {
        /** They are written. */
        OPEN,
        /** They are discarded, and a rollback is due. */
        ABANDONED,
        ROLLED_BACK
    }

    /**
     * A packet that was written, and may be a repetition: which it is, is decided with the commit.
     *
     * @param index of the packet in the transaction
     */
    private record Suspended(
            int index, FlowFile flowFile, Map<String, String> attributes, long bytes, long transferMillis) {}

    /** Something for the writer to do, which holds memory, and perhaps a buffer, until it is written or discarded. */
    private record Piece(long heldBytes, ByteBuf buffer, Guarded.Task writing) {}

    /**
     * @param held the session, of which this is from now on the holder
     * @param lease what its memory is charged to; given back with its end
     * @param contentWorkers what runs a turn
     * @param failureReport called on any thread if something could not be written; the transaction is then rolled back
     * @param receipt of the transaction
     */
    public StreamedPush(
            final HeldSession held,
            final TransactionLease lease,
            final Executor contentWorkers,
            final ListenerMetrics metrics,
            final Consumer<ConnectionFault> failureReport,
            final Receipt receipt) {
        this.held = held;
        this.lease = lease;
        this.contentWorkers = contentWorkers;
        this.metrics = metrics;
        this.failureReport = failureReport;
        this.receipt = receipt;
        this.hash = receipt.isKept() ? new PacketHash() : null;
    }

    /** @param memory is for the attributes of the packet under way, and given back when that is written */
    public void coverAttributes(final Grant memory) {
        cover = memory;
    }

    @Override
    public void packetBegins(final Map<String, String> packetAttributes, final long contentLength) {
        add(cover == null ? AttributeMemory.of(packetAttributes) : 0, () -> {
            attributes = packetAttributes;
            flowFile = held.session().create();
            packetBytes = 0;
            if (hash != null) {
                hash.begin(attributes, contentLength);
            }
        });
    }

    @Override
    public void content(final ByteBuf in, final int length) {
        final ByteBuf buffer = take(in, length);
        try {
            queue(length, buffer, () -> write(buffer));
        } catch (final Throwable e) {
            buffer.release();
            throw e;
        }
        startWriting();
    }

    private static ByteBuf take(final ByteBuf in, final int length) {
        if (length < in.capacity() / MAX_BUFFER_PER_PIECE) {
            // A slice would keep the whole of a buffer of which the transaction is charged a small part.
            return in.readBytes(length);
        }
        return in.readRetainedSlice(length);
    }

    @Override
    public void packetEnds(final long transferMillis) {
        final Grant covers = cover;
        cover = null;
        add(0, () -> {
            closeContent();
            final Suspended packet =
                    new Suspended(fingerprints.size(), flowFile, attributes, packetBytes, transferMillis);
            final Fingerprint fingerprint = hash == null ? null : hash.end();
            if (hash != null) {
                fingerprints.add(fingerprint);
            }
            if (receipt.mayBeRepetition(fingerprint, suspendedLikes.getOrDefault(fingerprint, 0))) {
                lease.charge().add(AttributeMemory.of(attributes));
                suspended.add(packet);
                suspendedLikes.merge(fingerprint, 1, Integer::sum);
            } else {
                receive(packet);
            }
            attributes = null;
            if (covers != null) {
                covers.close();
            }
        });
    }

    private void receive(final Suspended packet) {
        new FlowFileReceiver(held.session(), held.peer())
                .complete(packet.flowFile, packet.attributes, packet.transferMillis);
        flowFiles++;
        bytes += packet.bytes;
    }

    /**
     * Commits, behind everything that was added.
     *
     * @param deadline until when it may be committed
     * @param outcomeListener called on the connection's IO worker
     */
    public void commit(final CommitDeadline deadline, final OutcomeListener outcomeListener) {
        add(0, () -> {
            listener = outcomeListener;
            if (mayCommit()) {
                held.commit(deadline, this);
            }
        });
    }

    private boolean mayCommit() {
        try {
            final ConnectionFault refusal = receipt.claim(fingerprints);
            if (refusal != null) {
                giveUp();
                failureReport.accept(refusal);
                return false;
            }
            receiveSuspended();
            return true;
        } catch (final Throwable e) {
            // The session is not asked to commit, and so will report no outcome.
            settleReceipt(false);
            throw e;
        }
    }

    private void receiveSuspended() {
        for (final Suspended packet : suspended) {
            if (receipt.isRepetition(packet.index)) {
                held.session().remove(packet.flowFile);
            } else {
                receive(packet);
            }
        }
    }

    /** The session has ended. On the port task or a content worker. */
    @Override
    public void completed(final Outcome outcome) {
        settleReceipt(outcome.fault() == null);
        if (outcome.fault() == null) {
            Guarded.run("Counting what was committed", () -> metrics.committed(1, flowFiles, bytes));
        }
        Guarded.run("Releasing what a push holds", lease::close);
        held.peer().worker().execute(() -> listener.completed(outcome));
    }

    private void settleReceipt(final boolean committed) {
        Guarded.run("Remembering what became of a transaction", () -> receipt.ended(committed));
    }

    /** @return whether its commit, or its end, has begun */
    public boolean isEnding() {
        return held.isEnding();
    }

    /** Rolls back, without writing what is still to be written. */
    public void abandon() {
        giveUp();
        startWriting();
    }

    private void giveUp() {
        // Compared, since a writer that failed may have rolled back already: a plain set would have it roll back again.
        state.compareAndSet(State.OPEN, State.ABANDONED);
    }

    /** @return whether reading has to pause */
    public boolean isBehind() {
        return unwrittenBytes.get() > bound(HIGH_WATERMARK_BYTES);
    }

    private long bound(final long whereThereIsRoom) {
        if (lease.charge().hasRoomToGrow()) {
            return whereThereIsRoom;
        }
        return RESERVED_BYTES;
    }

    /** @param caughtUp called once, on any thread, when reading may go on; must not block */
    public void awaitCaughtUp(final Runnable caughtUp) {
        resume.set(caughtUp);
        resumeIfCaughtUp();
    }

    private void resumeIfCaughtUp() {
        if (unwrittenBytes.get() <= bound(LOW_WATERMARK_BYTES)) {
            final Runnable caughtUp = resume.getAndSet(null);
            if (caughtUp != null) {
                caughtUp.run();
            }
        }
    }

    private void add(final long bytesOfIt, final Guarded.Task writing) {
        queue(bytesOfIt, null, writing);
        startWriting();
    }

    private void queue(final long bytesOfIt, final ByteBuf buffer, final Guarded.Task writing) {
        final Piece piece = new Piece(bytesOfIt + PIECE_OVERHEAD_BYTES, buffer, writing);
        lease.charge().add(piece.heldBytes);
        unwrittenBytes.addAndGet(piece.heldBytes);
        pieces.add(piece);
    }

    private void startWriting() {
        if (writing.compareAndSet(false, true)) {
            scheduleTurn();
        }
    }

    private void scheduleTurn() {
        try {
            contentWorkers.execute(this::writeTurn);
        } catch (final Throwable e) {
            // No thread takes the turn: this one discards the pieces and rolls back, since no other thread would.
            failed(e);
            writeTurn();
        }
    }

    /** Content worker. Whatever happens, the turn is given up or passed on. */
    private void writeTurn() {
        long turnBytes = 0;
        for (Piece piece = pieces.poll(); piece != null; piece = pieces.poll()) {
            writeOrDiscard(piece);
            turnBytes += piece.heldBytes;
            // An abandoned transaction only discards, which is quick: it needs no further turn.
            if (turnBytes >= TURN_BYTES && state.get() == State.OPEN) {
                scheduleTurn();
                return;
            }
        }
        if (state.compareAndSet(State.ABANDONED, State.ROLLED_BACK)) {
            Guarded.run("Closing the content of a transaction that is rolled back", this::closeContent);
            Guarded.run("Rolling back a streamed transaction", held::rollback);
            lease.close();
        }
        writing.set(false);
        // A piece that the IO worker added between the last poll() and set(false) found writing == true,
        // so no turn was scheduled for it. The same holds for abandon(). So this thread looks once more.
        if (!pieces.isEmpty() || state.get() == State.ABANDONED) {
            startWriting();
        }
    }

    private void writeOrDiscard(final Piece piece) {
        try {
            if (state.get() == State.OPEN) {
                piece.writing.run();
            }
        } catch (final Throwable e) {
            failed(e);
        } finally {
            Guarded.run("Releasing a piece that was written", () -> release(piece));
        }
    }

    private void failed(final Throwable cause) {
        giveUp();
        final ConnectionFault fault = Kind.COMMIT_FAILED.fault(
                "The transaction could not be written to the content repository and is rolled back", cause);
        Guarded.run("Reporting that a transaction failed", () -> failureReport.accept(fault));
    }

    private void release(final Piece piece) {
        if (piece.buffer != null) {
            piece.buffer.release();
        }
        lease.charge().add(-piece.heldBytes);
        unwrittenBytes.addAndGet(-piece.heldBytes);
        resumeIfCaughtUp();
    }

    private void write(final ByteBuf buffer) throws IOException {
        if (content == null) {
            content = held.session().write(flowFile);
        }
        final byte[] chunk = CHUNK.get();
        while (buffer.isReadable()) {
            final int length = Math.min(buffer.readableBytes(), chunk.length);
            buffer.readBytes(chunk, 0, length);
            content.write(chunk, 0, length);
            packetBytes += length;
            if (hash != null) {
                hash.update(chunk, length);
            }
        }
    }

    private void closeContent() throws IOException {
        if (content != null) {
            final OutputStream closing = content;
            content = null;
            closing.close();
        }
    }
}
