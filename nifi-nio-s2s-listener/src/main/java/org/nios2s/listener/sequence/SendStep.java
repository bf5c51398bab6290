// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.MemoryBudget;
import org.nios2s.listener.PeerFault;

/**
 * Packets are sent, a piece at a time: the next one is made by a content worker when the one before has left. Lives on
 * the connection's IO worker.
 */
final class SendStep extends WaitingStep {
    private static final int PIECE_BYTES = 256 * 1024;

    /** In so small steps a peer's progress is seen. */
    private static final int SLICE_BYTES = 16 * 1024;

    private final Sending sending;
    private long lastProgressNanos = System.nanoTime();
    private boolean pieceInTheMaking;
    private boolean abandoned;

    SendStep(final Sending sending) {
        super(sending.connection());
        this.sending = sending;
    }

    /** Sends the first piece, which is here already. */
    Step begin(final ByteBuf first) {
        return send(first);
    }

    private Step send(final ByteBuf piece) {
        final boolean last = sending.transaction().isComplete();
        while (piece.readableBytes() > SLICE_BYTES) {
            write(piece.readRetainedSlice(SLICE_BYTES), false);
        }
        write(piece, !last);
        connection().channel().flush();
        return last ? new AwaitReceiptStep(sending) : this;
    }

    private void write(final ByteBuf slice, final boolean makeNext) {
        final int bytes = slice.readableBytes();
        connection().channel().write(slice).addListener(sent -> {
            connection().listener().budget().release(bytes);
            lastProgressNanos = System.nanoTime();
            if (makeNext && sent.isSuccess() && !abandoned) {
                makeNextPieceWithRoom();
            }
        });
    }

    private void makeNextPieceWithRoom() {
        final MemoryBudget budget = connection().listener().budget();
        if (budget.isExhausted()) {
            budget.awaitRoom(() -> connection().worker().execute(this::makeNextPiece));
        } else {
            makeNextPiece();
        }
    }

    private void makeNextPiece() {
        if (abandoned) {
            return;
        }
        pieceInTheMaking = true;
        try {
            connection().listener().contentWorkers().execute(() -> {
                ByteBuf piece = null;
                Exception failure = null;
                try {
                    piece = sending.transaction().nextPiece(PIECE_BYTES);
                    sending.charge(piece);
                } catch (final IOException | RuntimeException e) {
                    failure = e;
                }
                handOver(piece, failure);
            });
        } catch (final RejectedExecutionException e) {
            handOver(null, e);
        }
    }

    private void handOver(final ByteBuf piece, final Exception failure) {
        connection().worker().execute(() -> {
            pieceInTheMaking = false;
            if (abandoned) {
                if (piece != null) {
                    sending.discharge(piece);
                }
                sending.abandon();
            } else {
                // At once: a piece that is handed over later might find nobody.
                connection().handler().proceedHere(this, () -> {
                    if (failure != null) {
                        throw new PeerFault(
                                PeerFault.Kind.COMMIT_FAILED, "A FlowFile's content can't be sent", failure);
                    }
                    return send(piece);
                });
            }
        });
    }

    @Override
    public void checkDeadline(final long nowNanos) throws PeerFault {
        final long allowedMillis = connection().requestExpirationMillis();
        if (allowedMillis > 0 && nowNanos - lastProgressNanos > TimeUnit.MILLISECONDS.toNanos(allowedMillis)) {
            throw new PeerFault(
                    PeerFault.Kind.SILENT, "The peer took nothing of what is sent for " + allowedMillis + " ms");
        }
    }

    @Override
    public void abandon() {
        abandoned = true;
        if (!pieceInTheMaking) {
            sending.abandon();
        }
    }

    @Override
    public boolean needsRunningPort() {
        return true;
    }
}
