// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.PeerDescription;
import org.apache.nifi.remote.PeerStatus;
import org.apache.nifi.remote.cluster.NodeInformation;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.wire.ModifiedUtf8;

/**
 * The peer gets the list of peers, as soon as NiFi has listed the nodes of its cluster. Lives on the connection's IO worker,
 * and never leaves it while the nodes are known.
 */
final class PeerListStep implements WaitingStep {
    /** NiFi's own time-outs, to connect to the coordinator and to hear from it, are 5 s each. */
    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final PeerConnection connection;
    private final PeerList peers;
    private final long beganNanos;

    PeerListStep(final PeerConnection connection, final PeerList peers) {
        this.connection = connection;
        this.peers = peers;
        this.beganNanos = connection.clock().nanoTime();
    }

    @Override
    public PeerConnection connection() {
        return connection;
    }

    @Override
    public Step begin() throws IOException {
        final CompletableFuture<Collection<NodeInformation>> nodes =
                peers.nodes().current();
        if (nodes.state() == Future.State.SUCCESS) {
            // At once, within this turn, whose steps are counted. A task for each request would let a peer that asks
            // without end keep the IO worker from its sockets.
            return tell(nodes.resultNow());
        }
        goOnWith(nodes);
        return this;
    }

    private void goOnWith(final CompletableFuture<Collection<NodeInformation>> nodes) {
        nodes.whenComplete((known, failure) -> {
            if (failure == null) {
                proceed(() -> tell(known));
            } else {
                fail(Kind.INTERNAL.fault("NiFi could not list the nodes of its cluster: " + failure, failure));
            }
        });
    }

    private Step tell(final Collection<NodeInformation> nodes) throws IOException {
        if (peers.routing() != PeerList.Routing.NONE) {
            return new RoutePeersStep(connection, peers, nodes);
        }
        return answer(connection, peers.entriesFor(connection.description(), nodes));
    }

    /** Sends the list of peers; a request follows. */
    static Step answer(final PeerConnection connection, final List<PeerStatus> entries) throws IOException {
        // Heap memory needs no release if a name can't be written.
        final ByteBuf message = Unpooled.buffer().writeInt(entries.size());
        for (final PeerStatus entry : entries) {
            final PeerDescription peer = entry.getPeerDescription();
            ModifiedUtf8.write(message, peer.getHostname());
            message.writeInt(peer.getPort()).writeBoolean(peer.isSecure()).writeInt(entry.getFlowFileCount());
        }
        connection.send(message);
        connection.listenerMetrics().add(Counter.PEER_LISTS, 1);
        return connection.awaitRequest();
    }

    /** Falls back to the last list if NiFi does not answer in time. */
    @Override
    public void checkDeadline(final long nowNanos) throws ConnectionFault {
        if (nowNanos - beganNanos > MAX_WAIT_NANOS) {
            throw Kind.INTERNAL.fault("NiFi has not listed the nodes of its cluster for "
                    + TimeUnit.NANOSECONDS.toSeconds(MAX_WAIT_NANOS) + " s; look at the cluster coordinator");
        }
        final CompletableFuture<Collection<NodeInformation>> nodes =
                peers.nodes().current();
        if (nodes.isDone()) {
            goOnWith(nodes);
        }
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.NONE;
    }

    @Override
    public EndOfInput endOfInput() {
        return EndOfInput.AFTER_ANSWER;
    }

    @Override
    public boolean isEvictable() {
        return false;
    }
}
