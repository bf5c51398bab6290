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
 * The peer gets the list of peers, as soon as NiFi has listed the nodes of its cluster. Lives on the connection's IO worker, and never
 * leaves it while the nodes are known and there are no rules.
 *
 * <p>Rules of {@code nifi.remote.route.raw.*} say by which names and ports the peer reaches the nodes. Their expressions are evaluated
 * on a thread for blocking tasks. A rule may test the name of the peer's host. Then the step waits until that is looked up: a client
 * keeps the list for a minute and writes it down, so a late list is better than one with names for another peer.
 */
final class PeerListStep implements WaitingStep {
    /** NiFi's own time-outs, to connect to the coordinator and to hear from it, are 5 s each. */
    private static final long MAX_NODES_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** NiFi's clients wait 30 s for an answer. */
    private static final long MAX_LOOKUP_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final PeerConnection connection;
    private final PeerList peers;
    private State state = State.AWAITS_NODES;
    private long beganNanos;

    /** For what it waits. */
    private enum State {
        AWAITS_NODES,
        AWAITS_HOST_NAME,
        AWAITS_RULES
    }

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
            return nodesAreKnown(nodes.resultNow());
        }
        goOnWith(nodes);
        return this;
    }

    private void goOnWith(final CompletableFuture<Collection<NodeInformation>> nodes) {
        nodes.whenComplete((known, failure) -> {
            if (failure == null) {
                proceed(() -> nodesAreKnown(known));
            } else {
                fail(Kind.INTERNAL.fault("NiFi could not list the nodes of its cluster: " + failure, failure));
            }
        });
    }

    private Step nodesAreKnown(final Collection<NodeInformation> nodes) throws IOException {
        if (state != State.AWAITS_NODES) {
            // NiFi's answer came beside the last list.
            return this;
        }
        return switch (peers.routing()) {
            case NONE -> answer(peers.entriesFor(connection.description(), nodes));
            case BY_RULE -> route(nodes);
            case BY_HOST_NAME -> awaitHostName(nodes);
        };
    }

    private Step awaitHostName(final Collection<NodeInformation> nodes) {
        state = State.AWAITS_HOST_NAME;
        beganNanos = connection.clock().nanoTime();
        connection.hostName().whenComplete((name, failure) -> {
            if (failure == null) {
                proceed(() -> route(nodes));
            } else {
                fail(Kind.INTERNAL.fault("The name of the peer's host can't be looked up: " + failure, failure));
            }
        });
        return this;
    }

    private Step route(final Collection<NodeInformation> nodes) {
        state = State.AWAITS_RULES;
        final PeerDescription asking = connection.description();
        return runBlocking(peers.threads(), () -> peers.entriesFor(asking, nodes), this::answer);
    }

    private Step answer(final List<PeerStatus> entries) throws IOException {
        // Heap memory needs no release if a name can't be written.
        final ByteBuf message = Unpooled.buffer().writeInt(entries.size());
        for (final PeerStatus entry : entries) {
            final PeerDescription peer = entry.getPeerDescription();
            ModifiedUtf8.write(message, peer.getHostname());
            message.writeInt(peer.getPort()).writeBoolean(peer.isSecure()).writeInt(entry.getFlowFileCount());
        }
        connection.send(message);
        connection.listener().metrics().add(Counter.PEER_LISTS, 1);
        return connection.awaitRequest();
    }

    @Override
    public void checkDeadline(final long nowNanos) throws ConnectionFault {
        switch (state) {
            case AWAITS_NODES -> checkNodes(nowNanos);
            case AWAITS_HOST_NAME -> checkLookup(nowNanos);
            default -> {}
        }
    }

    /** Falls back to the last list if NiFi does not answer in time. */
    private void checkNodes(final long nowNanos) throws ConnectionFault {
        if (nowNanos - beganNanos > MAX_NODES_NANOS) {
            throw Kind.INTERNAL.fault("NiFi has not listed the nodes of its cluster for "
                    + TimeUnit.NANOSECONDS.toSeconds(MAX_NODES_NANOS) + " s; look at the cluster coordinator");
        }
        final CompletableFuture<Collection<NodeInformation>> nodes =
                peers.nodes().current();
        if (nodes.isDone()) {
            goOnWith(nodes);
        }
    }

    private void checkLookup(final long nowNanos) throws ConnectionFault {
        if (nowNanos - beganNanos > MAX_LOOKUP_NANOS) {
            throw Kind.INTERNAL.fault("The name of the peer's host is not known after "
                    + TimeUnit.NANOSECONDS.toSeconds(MAX_LOOKUP_NANOS)
                    + " s, and a rule of nifi.remote.route.raw.* tests it; look at the name service");
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
