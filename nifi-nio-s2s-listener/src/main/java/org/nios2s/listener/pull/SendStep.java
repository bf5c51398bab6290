// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import io.netty.buffer.ByteBuf;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.fault.PeerFault.Kind;

/**
 * Packets are sent, a piece at a time: the next one is made by a content worker when the one before has left. Lives on
 * the connection's IO worker.
 */
final class SendStep implements WaitingStep {
    /** In so small steps a peer's progress is seen. */
    private static final int SLICE_BYTES = 16 * 1024;

    /** Whose turn it is. */
    private enum Turn {
        /** A piece is with the socket. */
        PEERS,
        /** A content worker makes the next piece: only then may it touch the transaction. */
        CONTENT_WORKERS,
        /** Ours: what follows is under way. */
        OURS
    }

    private final Pull pull;
    private Turn turn = Turn.PEERS;
    private boolean abandoned;

    SendStep(final Pull pull) {
        this.pull = pull;
    }

    /** Sends a piece: the first one is here already, when the step begins. */
    Step send(final ByteBuf piece) {
        turn = Turn.PEERS;
        try {
            final long held = piece.capacity();
            while (piece.readableBytes() > SLICE_BYTES) {
                write(piece.readRetainedSlice(SLICE_BYTES), 0);
            }
            write(piece, held);
        } catch (final Throwable e) {
            // Where this is the first piece, the step that fails is the one before.
            abandon();
            throw e;
        }
        return this;
    }

    /** @param held what the piece is charged, where this is the last of it; else 0 */
    private void write(final ByteBuf slice, final long held) {
        final int bytes = slice.readableBytes();
        connection().send(slice, sent -> {
            connection().handler().sent(bytes);
            pull.charge().add(-held);
            if (!sent.isSuccess()) {
                fail(Kind.CONNECTION_LOST.fault("A piece can't be sent: " + sent.cause(), sent.cause()));
            } else if (held > 0 && !abandoned) {
                pieceHasLeft();
            }
        });
    }

    private void pieceHasLeft() {
        if (pull.transaction().isComplete()) {
            turn = Turn.OURS;
            pull.charge().settle(-pull.charge().held());
            proceed(() -> new AwaitReceiptStep(pull));
        } else {
            makeNextPiece();
        }
    }

    private void makeNextPiece() {
        if (abandoned) {
            return;
        }
        turn = Turn.CONTENT_WORKERS;
        try {
            connection().listener().contentReaders().execute(this::makePiece);
        } catch (final Throwable e) {
            pieceFailed(e);
        }
    }

    /** Content worker. */
    private void makePiece() {
        try {
            final ByteBuf piece = pull.nextPiece();
            proceed(() -> send(piece), () -> discard(piece));
        } catch (final Throwable e) {
            pieceFailed(e);
        }
    }

    private void pieceFailed(final Throwable failure) {
        proceed(
                () -> {
                    turn = Turn.OURS;
                    throw Kind.COMMIT_FAILED.fault("A FlowFile's content can't be sent", failure);
                },
                pull::abandon);
    }

    /** The connection has moved on while a piece was made. */
    void discard(final ByteBuf piece) {
        piece.release();
        pull.abandon();
    }

    /** Only what is with the socket is the peer's to take. */
    @Override
    public Patience patience() {
        return turn == Turn.PEERS ? Patience.WITHIN_REQUEST : Patience.UNLIMITED;
    }

    @Override
    public Pull transfer() {
        return pull;
    }

    @Override
    public void abandon() {
        abandoned = true;
        if (turn != Turn.CONTENT_WORKERS) {
            pull.abandon();
        }
    }
}
