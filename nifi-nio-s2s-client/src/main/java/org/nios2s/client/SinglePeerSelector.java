// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.nifi.remote.TransferDirection;

/** The one peer of a port whose RAW address is given. Immutable; any thread. */
final class SinglePeerSelector implements PeerSelector {
    private final Endpoint port;

    SinglePeerSelector(final Endpoint port) {
        this.port = port;
    }

    @Override
    public CompletableFuture<Endpoint> choose(final TransferDirection direction) {
        return CompletableFuture.completedFuture(port);
    }

    @Override
    public String name() {
        return port.peer();
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
