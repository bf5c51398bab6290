// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import java.io.IOException;
import org.nios2s.listener.access.AccessLog;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.TransactionContext;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.listener.transaction.PullEncoder;
import org.nios2s.listener.transaction.PullPiece;

/**
 * One pull transaction, as its steps share it: the packets that are being made, the session that they come from, and the
 * memory that they take. Lives on the connection's IO worker, but for {@link #nextPiece}.
 */
record Pull(PeerConnection connection, Grant charge, PullEncoder transaction, HeldSession session)
        implements TransactionContext {
    /** Bytes that are made in one go: a small pull is then complete, and a large one well under way. */
    private static final int PIECE_BYTES = 256 * 1024;

    /**
     * Makes the next piece, which is to be charged: a small one where memory is short, the peer's rate is low, or packets are
     * compressed. On the port task or a content worker.
     */
    PullPiece nextPiece() throws IOException {
        return transaction.nextPiece(pieceBytes());
    }

    private int pieceBytes() {
        if (connection.handshake().isUseGzip()) {
            // The peer inflates a chunk while the next one is deflated. MiNiFi C++ wants each in one read;
            // where several left at once, one of its reads had only the beginning of a chunk.
            return MemoryBudget.SMALL_BYTES;
        }
        if (charge.hasRoomToGrow()) {
            return Math.clamp(connection.rate().bytesAtOnce(), MemoryBudget.SMALL_BYTES, PIECE_BYTES);
        }
        return MemoryBudget.SMALL_BYTES;
    }

    AccessLog.Transfer transferred() {
        return new AccessLog.Transfer(
                connection,
                connection.port(),
                AccessLog.Direction.SENT,
                transaction.flowFilesSent(),
                transaction.bytesSent(),
                connection.clock().nanoTime() - transaction.startNanos());
    }

    /** All has been sent, and the peer has it. */
    void close() {
        transaction.close();
        charge.close();
    }

    /** The FlowFiles go back into their queue. Not to be called while a content worker makes a piece. */
    @Override
    public void abandon() {
        close();
        AccessLog.rolledBack(this::transferred);
        session.rollback();
    }
}
