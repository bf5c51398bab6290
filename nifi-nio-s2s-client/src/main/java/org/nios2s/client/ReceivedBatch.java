// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;

/**
 * The packets of one transaction, as they arrive: {@code hasNext()} of its iterator skips what is unread of the packet in
 * hand. Used by one thread at a time, which it blocks; another thread may go on with it.
 *
 * <p>NiFi keeps all packets until {@link #complete}. A {@link BatchHandler} returns in place of calling it; a caller
 * of {@link OutputPort#poll} calls it, or {@link #close} to refuse. An open batch holds a connection, and NiFi
 * waits for it no longer than {@link OutputPort#withRequestExpiration the request expiration}.
 */
public interface ReceivedBatch extends Iterable<ReceivedPacket>, AutoCloseable {
    /**
     * Returns the peer that sends the packets.
     *
     * @return the peer, as {@code host:port}
     */
    String peer();

    /**
     * Returns the name of the connection in NiFi's log and the listener's.
     *
     * @return as {@link TransactionResult#commsId}
     */
    String commsId();

    /**
     * The packets, once; each can be read until the next is asked for, which {@code hasNext()} does too.
     *
     * @return an iterator that throws an {@link UncheckedIOException} when the transaction fails
     */
    @Override
    Iterator<ReceivedPacket> iterator();

    /**
     * Skips the packets that were not handed out: NiFi will forget them, too.
     *
     * @return how many
     * @throws IOException if the transaction failed; NiFi keeps the packets
     */
    long skipRest() throws IOException;

    /**
     * Both ends compare what was sent and received. From here on nothing but the loss of the connection, {@link #close} or
     * the handler's exception makes NiFi keep the packets.
     *
     * @throws IllegalStateException if there are packets that were not handed out; NiFi keeps all of them, unless
     *     {@link #skipRest} comes first
     * @throws IOException if the transaction failed; NiFi keeps the packets
     */
    void confirm() throws IOException;

    /**
     * Confirms, if that was not done, and tells NiFi to forget the packets. A {@link BatchHandler} need not call it.
     *
     * @return what was received
     * @throws IllegalStateException as for {@link #confirm}, or if the batch was closed
     * @throws IOException if the transaction failed; NiFi keeps the packets, unless {@link TransactionException#isOutcomeUnknown}
     */
    TransactionResult complete() throws IOException;

    /** Refuses the packets, unless the batch is complete: NiFi keeps them all and gives them again. */
    @Override
    void close();
}
