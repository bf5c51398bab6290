// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.nios2s.client.Direction;
import org.nios2s.client.TransactionException;
import org.nios2s.client.internal.connection.Endpoint;

/** The one peer of a port whose RAW address is given. Immutable; any thread. */
public final class SinglePeerSelector implements PeerSelector {
    private final Endpoint port;

    public SinglePeerSelector(final Endpoint port) {
        this.port = port;
    }

    @Override
    public CompletableFuture<Endpoint> choose(final Direction direction) {
        return CompletableFuture.completedFuture(port);
    }

    @Override
    public CompletableFuture<Endpoint> chooseOther(final Direction direction, final Set<String> asked) {
        return CompletableFuture.completedFuture(hasOtherThan(asked) ? port : null);
    }

    @Override
    public String name() {
        return port.peer();
    }

    @Override
    public String portName() {
        return port.portName();
    }

    @Override
    public int peers() {
        return 1;
    }

    @Override
    public boolean hasOther(final Endpoint peer) {
        return false;
    }

    @Override
    public boolean hasOtherThan(final Set<String> names) {
        return !names.contains(port.peer());
    }

    @Override
    public void succeeded(final Endpoint peer) {
        // There is nothing to forgive.
    }

    @Override
    public void failed(final Endpoint peer, final TransactionException failure) {
        // There is no other to turn to; its pool of connections pauses by itself.
    }

    @Override
    public void full(final Endpoint peer) {
        // The result says so, and NiFi itself refuses the next transaction or lets it wait.
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
