/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
        session.rollback(connection);
    }
}
