// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.connection.Endpoint;

/** Knows the peers of a port, and which of them is next. Any thread; never blocks. */
public interface PeerSelector extends AutoCloseable {
    /**
     * Chooses a peer. If all are penalized, the one whose time is over first is chosen.
     *
     * @return completed with it in bounded time, or with a {@link TransactionException} of the step FIND_PEER
     */
    CompletableFuture<Endpoint> choose(Direction direction);

    /**
     * Chooses a peer that has not been asked yet.
     *
     * @param asked peers, each as {@code host:port}
     * @return completed as by {@link #choose}; with null if all others are penalized, or there is none
     */
    CompletableFuture<Endpoint> chooseOther(Direction direction, Set<String> asked);

    /** @return what is configured, for errors: an address or URLs */
    String name();

    /** @return the name of the port, or its identifier, as the caller gave it */
    String portName();

    /** Begins to describe a failure for which no peer is to blame. */
    default TransactionException.Builder failing(final TransactionStep step, final FailureReason reason) {
        return TransactionException.builder(step, reason).peer(name()).port(portName());
    }

    /** @return how many peers are known now */
    int peers();

    /** @return whether another peer than this one is known that is not penalized */
    boolean hasOther(Endpoint peer);

    /** @return whether a peer is known that is none of these, each as {@code host:port}, penalized or not */
    boolean hasOtherThan(Set<String> names);

    /** A transaction with the peer failed. */
    void failed(Endpoint peer, TransactionException failure);

    /** A transaction with the peer succeeded. */
    void succeeded(Endpoint peer);

    /** The peer says that it is full. */
    void full(Endpoint peer);

    @Override
    void close();
}
