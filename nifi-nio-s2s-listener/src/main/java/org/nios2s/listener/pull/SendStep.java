// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.connection.WaitingTransactionStep;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.tls.ReadKey;
import org.nios2s.listener.transaction.PullPiece;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packets are sent, a piece at a time: the next one is made by a content worker when the one before has left. Lives on
 * the connection's IO worker.
 */
final class SendStep implements WaitingTransactionStep {
    private static final Logger logger = LoggerFactory.getLogger(SendStep.class);

    /** Once in 137 GB, while the peer still reads what is on its way. */
    private static final long MAX_KEY_WAIT_SECONDS = 5;

    /** Whose turn it is. */
    private enum Turn {
        /** A piece is with the socket. */
        PEERS,
        /** A content worker makes the next piece: only then may it touch the transaction. */
        CONTENT_WORKERS,
        /** Ours: what follows is under way, or the peer has used up its rate or its key. */
        OURS
    }

    private final Pull pull;
    private Turn turn = Turn.PEERS;
    private boolean abandoned;
    private int pieceBytes;
    /** Null unless the peer's rate or its key has delayed a piece. */
    private ScheduledFuture<?> nextPiece;

    SendStep(final Pull pull) {
        this.pull = pull;
    }

    /**
     * Makes a piece, charges it, and has it sent on the IO worker. On the port task for the first piece, then on content workers.
     *
     * @param current the step that the connection is in meanwhile
     */
    void makePiece(final WaitingStep current) throws IOException {
        final PullPiece piece = pull.nextPiece();
        try {
            pull.charge().add(piece.capacity());
            current.proceed(() -> send(piece), () -> discard(piece));
        } catch (final Throwable e) {
            piece.release();
            throw e;
        }
    }

    /** Sends a piece; its memory is from now on the socket's to release. */
    Step send(final PullPiece piece) {
        turn = Turn.PEERS;
        pieceBytes = piece.readableBytes();
        final long held = piece.capacity();
        try {
            while (piece.hasNextWrite()) {
                final PullPiece.Write write = piece.nextWrite();
                write(write.bytes(), piece.hasNextWrite() ? 0 : held);
                if (write.flushed() && piece.hasNextWrite()) {
                    connection().endSegment();
                }
            }
        } catch (final Throwable e) {
            // For the first piece the current step is still
            // AwaitFlowFilesStep, whose abandon() would not release our pull.
            abandon();
            throw e;
        } finally {
            // The writes hold its memory.
            piece.release();
        }
        return this;
    }

    /** @param held what the piece is charged, where these are the last of it; otherwise 0 */
    private void write(final ByteBuf bytes, final long held) {
        final int length = bytes.readableBytes();
        connection().send(bytes, sent -> {
            connection().handler().sent(length);
            pull.charge().add(-held);
            if (!sent.isSuccess()) {
                fail(Kind.CONNECTION_LOST.fault(
                        "The connection failed while FlowFiles were sent: " + sent.cause(), sent.cause()));
            } else if (held > 0 && !abandoned) {
                pieceHasLeft();
            }
        });
    }

    private void pieceHasLeft() {
        turn = Turn.OURS;
        final long waitNanos = connection().rate().spendBytes(pieceBytes);
        if (pull.transaction().isComplete()) {
            pull.charge().settle(-pull.charge().used());
            proceed(() -> new AwaitChecksumStep(pull));
        } else if (connection().readKey().isUsedUp()) {
            awaitNewKey();
        } else if (waitNanos > 0) {
            nextPiece = connection().worker().schedule(this::makeNextPiece, waitNanos, TimeUnit.NANOSECONDS);
        } else {
            makeNextPiece();
        }
    }

    /** A peer that is no Java asks for none, and one that has stopped to read asks too late. */
    private void awaitNewKey() {
        final ReadKey key = connection().readKey();
        key.whenRenewed(this::makeNextPiece);
        nextPiece = connection().worker().schedule(key::renewed, MAX_KEY_WAIT_SECONDS, TimeUnit.SECONDS);
    }

    private void makeNextPiece() {
        if (abandoned) {
            return;
        }
        turn = Turn.CONTENT_WORKERS;
        try {
            connection().listener().threads().contentReaders().execute(this::makeNextPieceNow);
        } catch (final Throwable e) {
            pieceFailed(e);
        }
    }

    /** Content worker. */
    private void makeNextPieceNow() {
        try {
            makePiece(this);
        } catch (final Throwable e) {
            pieceFailed(e);
        }
    }

    private void pieceFailed(final Throwable failure) {
        try {
            proceed(
                    () -> {
                        turn = Turn.OURS;
                        throw Kind.COMMIT_FAILED.fault(
                                "A FlowFile's content could not be read; the transaction is rolled back", failure);
                    },
                    pull::abandon);
        } catch (final RejectedExecutionException e) {
            // The IO worker has ended, so proceed() could not hand the failure over: this thread still has the pull.
            logger.debug("The listener has stopped: a pull failed, and its peer gets no answer", failure);
            pull.abandon();
        }
    }

    /** The connection has moved on while a piece was made. */
    private void discard(final PullPiece piece) {
        piece.release();
        pull.abandon();
    }

    /** Only what is with the socket is the peer's to take. */
    @Override
    public TimeoutPolicy timeoutPolicy() {
        if (turn == Turn.PEERS) {
            return TimeoutPolicy.WITHIN_REQUEST;
        }
        return TimeoutPolicy.NONE;
    }

    @Override
    public boolean isPeersTurn() {
        return turn != Turn.CONTENT_WORKERS;
    }

    @Override
    public boolean isDelayed() {
        return turn == Turn.OURS;
    }

    @Override
    public Pull transaction() {
        return pull;
    }

    @Override
    public void abandon() {
        if (abandoned) {
            return;
        }
        abandoned = true;
        if (nextPiece != null) {
            nextPiece.cancel(false);
        }
        if (turn != Turn.CONTENT_WORKERS) {
            pull.abandon();
        }
    }
}
