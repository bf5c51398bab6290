// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.nifi.remote.TransferDirection;

/** The one peer of a port whose RAW address is given. Immutable; any thread. */
final class FixedPeer implements PeerChoice {
    private final RemotePort port;

    FixedPeer(final RemotePort port) {
        this.port = port;
    }

    @Override
    public CompletableFuture<RemotePort> choose(final TransferDirection direction) {
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
    public boolean hasOther(final RemotePort peer) {
        return false;
    }

    @Override
    public boolean hasOtherThan(final Set<String> names) {
        return !names.contains(port.peer());
    }

    @Override
    public void succeeded(final RemotePort peer) {
        // There is nothing to forgive.
    }

    @Override
    public void failed(final RemotePort peer, final TransactionException failure) {
        // There is no other to turn to; its pool of connections pauses by itself.
    }

    @Override
    public void full(final RemotePort peer) {
        // The result says so, and NiFi itself refuses the next transaction or lets it wait.
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
