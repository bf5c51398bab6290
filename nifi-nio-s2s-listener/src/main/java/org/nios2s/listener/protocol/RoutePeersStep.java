// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.PeerDescription;
import org.apache.nifi.remote.cluster.NodeInformation;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;

/**
 * Evaluates the rules of {@code nifi.remote.route.raw.*}, which say by which names and ports the peer reaches the nodes. Lives on the
 * connection's IO worker, with the rules' expressions on a thread for blocking tasks.
 *
 * <p>A rule may test the name of the peer's host. Then the step waits until that is looked up: a client keeps the list for a
 * minute and writes it down, so a late list is better than one with names for another peer.
 */
final class RoutePeersStep implements WaitingStep {
    /** NiFi's clients wait 30 s for an answer. */
    private static final long MAX_LOOKUP_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final PeerConnection connection;
    private final PeerList peers;
    private final Collection<NodeInformation> nodes;
    private final long beganNanos;
    private State state = State.AWAITS_HOST_NAME;

    /** For what it waits. */
    private enum State {
        AWAITS_HOST_NAME,
        AWAITS_RULES
    }

    RoutePeersStep(final PeerConnection connection, final PeerList peers, final Collection<NodeInformation> nodes) {
        this.connection = connection;
        this.peers = peers;
        this.nodes = nodes;
        this.beganNanos = connection.clock().nanoTime();
    }

    @Override
    public PeerConnection connection() {
        return connection;
    }

    @Override
    public Step begin() {
        if (!peers.needsHostNames()) {
            return route();
        }
        connection.hostName().whenComplete((name, failure) -> {
            if (failure == null) {
                proceed(this::route);
            } else {
                fail(Kind.INTERNAL.fault("The name of the peer's host can't be looked up: " + failure, failure));
            }
        });
        return this;
    }

    private Step route() {
        state = State.AWAITS_RULES;
        final PeerDescription asking = connection.description();
        return runBlocking(
                peers.threads(),
                () -> peers.entriesFor(asking, nodes),
                entries -> PeerListStep.answer(connection, entries));
    }

    @Override
    public void checkDeadline(final long nowNanos) throws ConnectionFault {
        if (state == State.AWAITS_HOST_NAME && nowNanos - beganNanos > MAX_LOOKUP_NANOS) {
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
