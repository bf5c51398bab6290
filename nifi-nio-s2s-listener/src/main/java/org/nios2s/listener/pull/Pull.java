// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.PortLimits;
import org.nios2s.listener.transaction.OutboundTransaction;
import org.nios2s.listener.transaction.TransactionSession;

/**
 * What the steps of one pull transaction share: the packets that are being made, the session that they come from, and the
 * memory that they take. Lives on the connection's IO worker, but for {@link #nextPiece}.
 */
final class Pull {
    /** What is made in one go: a small pull is then complete, and a large one well under way. */
    private static final int PIECE_BYTES = 256 * 1024;

    private final PeerConnection connection;
    private final PortLimits limits;
    private final MemoryBudget.Charge charge;
    private final OutboundTransaction transaction;
    private final TransactionSession session;

    /**
     * @param charge from now on of this pull
     */
    Pull(
            final PeerConnection connection,
            final MemoryBudget.Charge charge,
            final OutboundTransaction transaction,
            final TransactionSession session) {
        this.connection = connection;
        this.limits = connection.dispatcher().limits();
        this.charge = charge;
        this.transaction = transaction;
        this.session = session;
    }

    PeerConnection connection() {
        return connection;
    }

    OutboundTransaction transaction() {
        return transaction;
    }

    TransactionSession session() {
        return session;
    }

    MemoryBudget.Charge charge() {
        return charge;
    }

    /** Makes the next piece, and charges it: a small one where memory is short. On the port task or a content worker. */
    ByteBuf nextPiece() throws IOException {
        final ByteBuf piece = transaction.nextPiece(limits.memory().isRoomy() ? PIECE_BYTES : MemoryBudget.UNIT);
        charge.add(piece.capacity());
        return piece;
    }

    /** @return whether others wait for what the transaction holds */
    boolean holdsScarce() {
        return limits.sending().isScarce()
                || limits.memory().isScarce()
                || connection.listener().connections().isScarce();
    }

    /** All has been sent, and the peer has it. */
    void close() {
        transaction.close();
        charge.close();
    }

    /** Nothing comes of it: the FlowFiles go back into their queue. Not while a content worker is at it. */
    void abandon() {
        close();
        session.rollback();
    }
}
