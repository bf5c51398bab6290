// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.Failures;
import org.nios2s.client.internal.connection.NewerJava;
import org.nios2s.client.internal.connection.TimeLimit;
import org.nios2s.client.internal.site.Site;
import org.nios2s.client.internal.transaction.ListedPeer;

/**
 * The peers of one port of a {@link Site}, and which of them is next. Any thread; waits no longer than the site's time-out.
 *
 * <p>Peers are weighed by their queued FlowFiles as NiFi's client does. A peer is penalized when it failed or said that
 * it is full; if all are, the one whose time is over first serves: a peer that is the only one is never passed over.
 */
public final class ClusterPeerSelector implements PeerSelector {
    /** As NiFi's client penalizes a peer. */
    private static final Duration PENALTY = Duration.ofSeconds(3);
    /** How long a node that refuses us is passed over where another serves. */
    private static final Duration REFUSED_PENALTY = Duration.ofMinutes(1);

    private static final Duration LONGEST_PENALTY = Duration.ofSeconds(15);

    private final Site site;
    private final boolean ownsSite;
    private final String portName;
    /** Null if the name has to be looked up. */
    private final String portId;

    private final PeerPenalties penalties;

    private ClusterPeerSelector(
            final Site site,
            final boolean ownsSite,
            final String portName,
            final String portId,
            final PeerPenalties penalties) {
        this.site = site;
        this.ownsSite = ownsSite;
        this.portName = portName;
        this.portId = portId;
        this.penalties = penalties;
    }

    /** @return a port of a site that serves others too */
    public static ClusterPeerSelector of(final Site site, final String nameOrId) {
        return new ClusterPeerSelector(
                site, false, nameOrId, isId(nameOrId) ? nameOrId : null, new PeerPenalties(PENALTY, LONGEST_PENALTY));
    }

    private static boolean isId(final String nameOrId) {
        try {
            return UUID.fromString(nameOrId).toString().equalsIgnoreCase(nameOrId);
        } catch (final IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * @param portId null if the name has to be looked up
     * @param penalty how long a peer is set aside, however often it fails
     * @return the only port of a site, which is closed with it
     */
    public static ClusterPeerSelector owning(
            final Site site, final String portName, final String portId, final Duration penalty) {
        return new ClusterPeerSelector(site, true, portName, portId, new PeerPenalties(penalty, penalty));
    }

    @Override
    public CompletableFuture<Endpoint> choose(final Direction direction) {
        return find(direction, known -> nextOf(known, direction));
    }

    @Override
    public CompletableFuture<Endpoint> chooseOther(final Direction direction, final Set<String> asked) {
        return find(
                direction,
                known -> chooseFrom(
                        free(known).stream()
                                .filter(peer -> !asked.contains(peer(peer)))
                                .toList(),
                        direction));
    }

    /** As {@link #choose}, but peers that are penalized are none: completed with null if there are only such. */
    public CompletableFuture<Endpoint> chooseFree(final Direction direction) {
        return find(direction, known -> weigh(free(known), direction));
    }

    private CompletableFuture<Endpoint> find(final Direction direction, final Function<Site.Known, ListedPeer> choice) {
        return inTime(site.current())
                .thenCompose(known -> identifier(known, direction) == null
                        ? inTime(site.fresher(known))
                        : CompletableFuture.completedFuture(known))
                .thenApply(known -> port(known, direction, choice))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(findFailure(failure)));
    }

    private CompletableFuture<Site.Known> inTime(final CompletableFuture<Site.Known> answer) {
        return answer.isDone() ? answer : TimeLimit.of(answer, site.settings().timeout(), NewerJava.blockingTasks());
    }

    private String identifier(final Site.Known known, final Direction direction) {
        return portId != null ? portId : known.details().ports().get(direction).get(portName);
    }

    /** @return the name that NiFi has for the port, or what the caller calls it */
    private String nameOf(final Site.Known known, final String identifier, final Direction direction) {
        return known.details().ports().get(direction).entrySet().stream()
                .filter(port -> port.getValue().equals(identifier))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(portName);
    }

    /** @return null where the choice is null */
    private Endpoint port(
            final Site.Known known, final Direction direction, final Function<Site.Known, ListedPeer> choice) {
        final boolean secure = known.details().secure();
        final String identifier = identifier(known, direction);
        if (identifier == null) {
            throw new CompletionException(failure(
                    FailureReason.UNKNOWN_PORT, "NiFi has no such public port, or this client may not see it", null));
        }
        if (secure && site.settings().tls() == null) {
            throw new CompletionException(failure(
                    FailureReason.TLS_FAILED, "NiFi wants secure Site-to-Site, but no TLS is configured", null));
        }
        if (known.peers().isEmpty()) {
            throw new CompletionException(failure(FailureReason.NO_PEER, "The peer list names no node", null));
        }
        final ListedPeer chosen = choice.apply(known);
        return chosen == null
                ? null
                : site.settings().port(chosen, identifier, nameOf(known, identifier, direction), secure);
    }

    private ListedPeer nextOf(final Site.Known known, final Direction direction) {
        final ListedPeer chosen = chooseFrom(free(known), direction);
        return chosen != null ? chosen : firstBack(known);
    }

    /** @return one of the peers, none of which is penalized; null if others try all of them already, or there is none */
    private ListedPeer chooseFrom(final List<ListedPeer> free, final Direction direction) {
        final ListedPeer chosen = weigh(free, direction);
        if (chosen == null || penalties.tries(peer(chosen))) {
            return chosen;
        }
        return weigh(
                free.stream()
                        .filter(each -> each != chosen && !isPenalized(each))
                        .toList(),
                direction);
    }

    private ListedPeer firstBack(final Site.Known known) {
        return known.peers().stream()
                .min(Comparator.comparingLong(each -> penalties.leftNanos(peer(each))))
                .orElseThrow();
    }

    private List<ListedPeer> free(final Site.Known known) {
        return known.peers().stream().filter(peer -> !isPenalized(peer)).toList();
    }

    private boolean isPenalized(final ListedPeer listed) {
        return penalties.isPenalized(peer(listed));
    }

    /**
     * @return a peer by chance: the fewer FlowFiles it has the likelier to send to, the more the likelier to receive from;
     *     null of none
     */
    private static ListedPeer weigh(final List<ListedPeer> peers, final Direction direction) {
        final long total = peers.stream().mapToLong(ListedPeer::flowFiles).sum();
        final double[] weights = peers.stream()
                .mapToDouble(
                        peer -> direction == Direction.SEND ? 1.0 + total - peer.flowFiles() : 1.0 + peer.flowFiles())
                .toArray();
        double left = ThreadLocalRandom.current().nextDouble()
                * Arrays.stream(weights).sum();
        for (int i = 0; i < weights.length; i++) {
            left -= weights[i];
            if (left < 0 || i == weights.length - 1) {
                return peers.get(i);
            }
        }
        return null;
    }

    private static String peer(final ListedPeer listed) {
        return Endpoint.peer(listed.host(), listed.port());
    }

    @Override
    public int peers() {
        final Site.Known last = site.last();
        return last == null ? 0 : last.peers().size();
    }

    @Override
    public boolean hasOther(final Endpoint peer) {
        final Site.Known last = site.last();
        return last != null
                && last.peers().stream().anyMatch(other -> !peer(other).equals(peer.peer()) && !isPenalized(other));
    }

    @Override
    public boolean hasOtherThan(final Set<String> names) {
        final Site.Known last = site.last();
        return last != null && last.peers().stream().anyMatch(other -> !names.contains(peer(other)));
    }

    @Override
    public void full(final Endpoint peer) {
        penalties.full(peer.peer());
    }

    @Override
    public void succeeded(final Endpoint peer) {
        penalties.succeeded(peer.peer());
    }

    /**
     * Penalizes the peer for a while if the failure is of its making: not for the caller's own deadline or source, and not
     * for want of a free connection, which is our own limit.
     */
    @Override
    public void failed(final Endpoint peer, final TransactionException failure) {
        switch (failure.reason()) {
            case CONNECT_FAILED, CONNECTION_LOST, PORT_NOT_RUNNING, PROTOCOL_VIOLATION, BAD_CHECKSUM:
                penalties.failed(peer.peer());
                break;
            case UNAUTHORIZED, TLS_FAILED, REFUSED:
                refused(peer);
                break;
            case DESTINATION_FULL:
                penalties.full(peer.peer());
                break;
            case IDLE_TIMEOUT:
                if (failure.step() != TransactionStep.WAIT_FOR_CONNECTION) {
                    penalties.failed(peer.peer());
                }
                break;
            case UNKNOWN_PORT:
                refused(peer);
                // Perhaps the port was made again under the same name.
                site.invalidate();
                break;
            default:
                break;
        }
    }

    private void refused(final Endpoint peer) {
        if (hasOther(peer)) {
            penalties.refused(peer.peer(), REFUSED_PENALTY);
        } else {
            penalties.failed(peer.peer());
        }
    }

    /** @return whether packets travel over TLS. Blocks until the site is known */
    public boolean isSecure() throws IOException {
        try {
            return inTime(site.current()).join().details().secure();
        } catch (final CompletionException e) {
            throw findFailure(e);
        }
    }

    @Override
    public String name() {
        return site.name();
    }

    private TransactionException findFailure(final Throwable failure) {
        final Throwable cause = Failures.causeOf(failure);
        if (cause instanceof final TransactionException known && known.port().equals(portName)) {
            return known;
        }
        if (cause instanceof TimeoutException) {
            return failure(
                    FailureReason.NO_PEER,
                    "NiFi did not tell its peers within " + site.settings().timeout(),
                    cause);
        }
        final String said = cause instanceof final TransactionException known ? known.detail() : cause.getMessage();
        return failure(Site.reason(cause), "The peers can't be found: " + said, cause);
    }

    private TransactionException failure(final FailureReason reason, final String message, final Throwable cause) {
        return failing(TransactionStep.FIND_PEER, reason)
                .message(message)
                .cause(cause)
                .build();
    }

    @Override
    public String portName() {
        return portName;
    }

    /** Stops to look for peers; transactions under way go on. */
    @Override
    public void close() {
        if (ownsSite) {
            site.close();
        }
    }
}
