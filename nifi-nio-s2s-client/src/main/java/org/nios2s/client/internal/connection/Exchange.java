// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import io.netty.buffer.ByteBuf;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.wire.ProtocolException;

/** The exchange of messages that a connection has now. Lives on the connection's IO worker. */
public interface Exchange {
    /** Maximum length of a text that is sent to a peer. */
    int LONGEST_EXPLANATION = 1_000;

    /** @return where it is, for errors */
    TransactionStep step();

    /** @return whether it takes bytes now; when it does again it calls {@link ClientConnection#resumeReading} */
    default boolean wantsBytes() {
        return true;
    }

    /**
     * @return whether the peer has to do something next; if not, the transaction waits for our own side, and the time is
     *     not the peer's
     */
    default boolean waitsForPeer() {
        return true;
    }

    /**
     * Consumes what it can of the bytes that have arrived.
     *
     * @throws ProtocolException if the peer says what does not belong here
     * @throws TransactionException if the peer says no
     */
    void read(ByteBuf in) throws ProtocolException, TransactionException;

    /** The connection takes bytes again, after it did not. */
    default void writable() {}

    /** The connection is gone; nothing more will be called. */
    void failed(TransactionException failure);

    /** @return what is told to the peer that is left: short enough for the wire */
    static String explanation(final TransactionException cause) {
        return cause.detail().substring(0, Math.min(cause.detail().length(), LONGEST_EXPLANATION));
    }
}
