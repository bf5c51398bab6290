// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import io.netty.buffer.ByteBuf;
import org.nios2s.listener.transaction.OutboundTransaction;
import org.nios2s.listener.transaction.TransactionSession;

/**
 * What the steps of one pull transaction share: the packets that are being made, and the session that they come from.
 * Lives on the connection's IO worker, but for the transaction, which is used where it says.
 */
final class Sending {
    private final PeerConnection connection;
    private final OutboundTransaction transaction;
    private final TransactionSession session;

    Sending(final PeerConnection connection, final OutboundTransaction transaction, final TransactionSession session) {
        this.connection = connection;
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

    /** A piece is held in memory from now on. */
    void charge(final ByteBuf piece) {
        connection.listener().budget().charge(piece.readableBytes());
    }

    /** A piece that will not be sent is given back. */
    void discharge(final ByteBuf piece) {
        connection.listener().budget().release(piece.readableBytes());
        piece.release();
    }

    /** Nothing comes of it: the FlowFiles go back into their queue. Not while a content worker is at it. */
    void abandon() {
        transaction.close();
        session.rollback();
    }
}
