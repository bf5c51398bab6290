// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.PeerDescription;
import org.apache.nifi.remote.PeerStatus;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.PeerPersistence;
import org.apache.nifi.remote.client.SiteInfoProvider;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
import org.apache.nifi.remote.util.PeerStatusCache;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The peers of a cluster, or of a standalone NiFi, that is known by the URLs of its REST API. Any thread; NiFi is asked on
 * one platform thread, once for all who wait, and they wait no longer than the configuration's timeout.
 *
 * <p>What was learned last serves at once; when it is older than {@link #PEERS_AGE} it is learned anew meanwhile. Peers
 * are weighed by their queued FlowFiles as NiFi's client does; a peer is penalized when a transaction with it failed or
 * when it said that it is full. NiFi's own REST client asks, and its persistence keeps the peers.
 */
final class RemoteCluster implements PeerChoice {
    /** As NiFi's client: how long a list of peers is good. */
    private static final Duration PEERS_AGE = Duration.ofMinutes(1);
    /** How long what is known serves after NiFi could not be asked, before it is asked again. */
    private static final Duration ASK_AGAIN = Duration.ofSeconds(5);
    /** How long a node that refuses us is passed over where another serves. */
    private static final Duration REFUSED_PENALTY = Duration.ofMinutes(1);

    private static final Logger logger = LoggerFactory.getLogger(RemoteCluster.class);

    /** What a cluster said of itself. */
    private record Site(Map<TransferDirection, String> identifiers, boolean secure, List<PeerStatus> peers) {}

    private final SiteToSiteConnector connector;
    private final SiteToSiteClientConfig config;
    private final SSLContext restTls;
    private final TlsContext tls;
    private final PeerProxy proxy;
    private final int mostWaiting;
    private final AtomicInteger waiting = new AtomicInteger();
    private final Map<PeerDescription, Long> penalizedUntil = new ConcurrentHashMap<>();
    private final ExecutorService asker =
            Executors.newSingleThreadExecutor(new DefaultThreadFactory("s2s-client-peers", true));

    private final Object lock = new Object();
    /** These three are guarded by the lock. */
    private CompletableFuture<Site> asking;

    private Site known;
    private long askAgainNanos;

    RemoteCluster(
            final SiteToSiteConnector connector,
            final SiteToSiteClientConfig config,
            final SSLContext restTls,
            final TlsContext tls,
            final PeerProxy proxy) {
        if (config.getPortName() == null && config.getPortIdentifier() == null) {
            throw new IllegalArgumentException("The configuration names neither a port nor a port identifier");
        }
        if (config.getUrls() == null || config.getUrls().isEmpty()) {
            throw new IllegalArgumentException("The configuration has no URL of a NiFi");
        }
        this.connector = connector;
        this.config = config;
        this.restTls = restTls;
        this.tls = tls;
        this.proxy = proxy;
        this.mostWaiting = connector.settings().waitingPerPort();
        ask();
    }

    @Override
    public CompletableFuture<RemotePort> choose(final TransferDirection direction) {
        final Site last;
        final CompletableFuture<Site> asked;
        synchronized (lock) {
            last = known;
            final boolean old = System.nanoTime() - askAgainNanos >= 0;
            asked = last == null || old ? ask() : CompletableFuture.completedFuture(last);
        }
        if (last != null && (asked.isDone() || last.identifiers().containsKey(direction))) {
            return choose(last, direction);
        }
        if (waiting.incrementAndGet() > mostWaiting) {
            waiting.decrementAndGet();
            return CompletableFuture.failedFuture(failure(
                    FailureReason.TOO_MANY_WAITING,
                    mostWaiting + " transactions wait already until the peers of the cluster are known",
                    null));
        }
        return asked.copy()
                .orTimeout(timeoutMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((site, failure) -> waiting.decrementAndGet())
                .handle((site, failure) -> failure == null
                        ? choose(site, direction)
                        : CompletableFuture.<RemotePort>failedFuture(findFailure(failure)))
                .thenCompose(chosen -> chosen);
    }

    private CompletableFuture<RemotePort> choose(final Site site, final TransferDirection direction) {
        final String identifier = site.identifiers().get(direction);
        if (identifier == null) {
            synchronized (lock) {
                // Whoever makes the port now shall not wait until the peers are old.
                known = null;
            }
            return CompletableFuture.failedFuture(failure(
                    FailureReason.UNKNOWN_PORT, "NiFi has no such public port, or does not let us see it", null));
        }
        if (site.secure() && tls == null) {
            return CompletableFuture.failedFuture(failure(
                    FailureReason.TLS_FAILED, "NiFi wants secure Site-to-Site, but no TLS is configured", null));
        }
        final PeerDescription peer = weigh(site.peers(), direction);
        return peer == null
                ? CompletableFuture.failedFuture(
                        failure(FailureReason.NO_PEER, "No peer is known, or all of them are penalized for now", null))
                : CompletableFuture.completedFuture(port(peer, identifier, site.secure()));
    }

    /** @return a peer by chance: the fewer FlowFiles it has the likelier to send to, the more the likelier to receive from */
    private PeerDescription weigh(final List<PeerStatus> peers, final TransferDirection direction) {
        final List<PeerStatus> free = peers.stream()
                .filter(peer -> !isPenalized(peer.getPeerDescription()))
                .toList();
        final long total = free.stream().mapToLong(PeerStatus::getFlowFileCount).sum();
        final double[] weights = free.stream()
                .mapToDouble(peer -> direction == TransferDirection.SEND
                        ? 1.0 + total - peer.getFlowFileCount()
                        : 1.0 + peer.getFlowFileCount())
                .toArray();
        double left = ThreadLocalRandom.current().nextDouble()
                * Arrays.stream(weights).sum();
        for (int i = 0; i < weights.length; i++) {
            left -= weights[i];
            if (left < 0 || i == weights.length - 1) {
                return free.get(i).getPeerDescription();
            }
        }
        return null;
    }

    private boolean isPenalized(final PeerDescription peer) {
        final Long until = penalizedUntil.get(peer);
        return until != null && until - System.nanoTime() > 0;
    }

    /** Learns the cluster's peers, unless somebody does already. */
    private CompletableFuture<Site> ask() {
        synchronized (lock) {
            if (asking == null || asking.isDone()) {
                asking = new CompletableFuture<>();
                final CompletableFuture<Site> answer = asking;
                try {
                    asker.execute(() -> learn(answer));
                } catch (final RejectedExecutionException e) {
                    answer.completeExceptionally(failure(FailureReason.CONNECTOR_CLOSED, "The client is closed", e));
                }
            }
            return asking;
        }
    }

    /** On the asker's thread. */
    private void learn(final CompletableFuture<Site> answer) {
        try {
            final Site site = learn();
            synchronized (lock) {
                known = site;
                askAgainNanos = System.nanoTime() + PEERS_AGE.toNanos();
            }
            answer.complete(site);
        } catch (final IOException | RuntimeException | LinkageError e) {
            // Also a library that is missing must not leave anybody waiting.
            synchronized (lock) {
                askAgainNanos = System.nanoTime() + ASK_AGAIN.toNanos();
            }
            logger.warn("The peers of {} can't be found: {}", urls(), e.toString());
            answer.completeExceptionally(e);
        }
    }

    private Site learn() throws IOException {
        final SiteInfoProvider site = siteInfo();
        final boolean secure = site.isSecure();
        final Map<TransferDirection, String> identifiers = new ConcurrentHashMap<>();
        for (final TransferDirection direction : TransferDirection.values()) {
            final String identifier = config.getPortIdentifier() != null
                    ? config.getPortIdentifier()
                    : site.getPortIdentifier(config.getPortName(), direction);
            if (identifier != null) {
                identifiers.put(direction, identifier);
            }
        }
        // Without TLS no node could be asked; whoever chooses hears why.
        final Set<PeerStatus> peers = secure && tls == null ? Set.of() : askPeers(site, secure);
        final PeerPersistence persistence = config.getPeerPersistence();
        if (persistence != null) {
            keep(
                    persistence,
                    new PeerStatusCache(peers, System.currentTimeMillis(), urls(), SiteToSiteTransportProtocol.RAW));
        }
        return new Site(identifiers, secure, List.copyOf(peers));
    }

    private void keep(final PeerPersistence persistence, final PeerStatusCache peers) {
        try {
            persistence.save(peers);
        } catch (final IOException | RuntimeException e) {
            logger.warn("The peers of {} can't be kept for the next start: {}", urls(), e.toString());
        }
    }

    private SiteInfoProvider siteInfo() {
        final int timeout = (int) timeoutMillis();
        final SiteInfoProvider info = new SiteInfoProvider();
        info.setClusterUrls(config.getUrls());
        info.setSslContext(restTls);
        info.setConnectTimeoutMillis(timeout);
        info.setReadTimeoutMillis(timeout);
        info.setCachedContentsExpirationMillis(config.getCacheExpiration(TimeUnit.MILLISECONDS));
        info.setProxy(config.getHttpProxy());
        info.setLocalAddress(config.getLocalAddress());
        return info;
    }

    /** The node that answered over REST is asked first, then those that were known before: one of them knows all. */
    private Set<PeerStatus> askPeers(final SiteInfoProvider site, final boolean secure) throws IOException {
        final Integer rawPort = site.getSiteToSitePort();
        if (rawPort == null) {
            throw new IOException(site.getActiveClusterUrl()
                    + " does not listen to RAW Site-to-Site: set nifi.remote.input.socket.port");
        }
        final Set<PeerDescription> candidates = new LinkedHashSet<>();
        candidates.add(new PeerDescription(site.getActiveClusterUrl().getHost(), rawPort, secure));
        formerPeers().forEach(peer -> candidates.add(peer.getPeerDescription()));
        final List<String> failures = new ArrayList<>();
        for (final PeerDescription candidate : candidates) {
            try {
                return askPeer(port(candidate, "", secure).withBatchLimits(BatchLimits.NONE));
            } catch (final IOException e) {
                failures.add(e.getMessage());
            }
        }
        throw new IOException("No node tells the peers of its cluster: " + failures);
    }

    private Set<PeerStatus> formerPeers() {
        final Site last;
        synchronized (lock) {
            last = known;
        }
        if (last != null) {
            return new HashSet<>(last.peers());
        }
        final PeerPersistence persistence = config.getPeerPersistence();
        if (persistence == null) {
            return Set.of();
        }
        try {
            final PeerStatusCache kept = persistence.restore();
            return kept == null || kept.isEmpty() || !urls().equals(kept.getRemoteInstanceUris())
                    ? Set.of()
                    : kept.getStatuses();
        } catch (final IOException | RuntimeException e) {
            // As at the first start: nothing was kept yet.
            logger.debug("No peers are kept", e);
            return Set.of();
        }
    }

    private Set<PeerStatus> askPeer(final RemotePort peer) throws IOException {
        final CallOptions inTime = CallOptions.DEFAULTS.withDeadline(Duration.ofMillis(timeoutMillis()));
        try {
            return connector.peers(peer, inTime).get(timeoutMillis(), TimeUnit.MILLISECONDS);
        } catch (final ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        } catch (final TimeoutException e) {
            throw new IOException(peer.peer() + " did not tell its peers in time", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while " + peer.peer() + " was asked for its peers", e);
        }
    }

    private RemotePort port(final PeerDescription peer, final String identifier, final boolean secure) {
        final BatchLimits limits = BatchLimits.ofPackets(config.getPreferredBatchCount())
                .withBytes(config.getPreferredBatchSize())
                .withDuration(Duration.ofMillis(config.getPreferredBatchDuration(TimeUnit.MILLISECONDS)));
        return new RemotePort(
                peer.getHostname(),
                peer.getPort(),
                identifier,
                config.isUseCompression(),
                Duration.ofMillis(timeoutMillis()),
                limits,
                secure ? tls : null,
                proxy);
    }

    @Override
    public boolean hasOther(final RemotePort peer) {
        final Site last;
        synchronized (lock) {
            last = known;
        }
        return last != null
                && last.peers().stream()
                        .map(PeerStatus::getPeerDescription)
                        .anyMatch(other -> !other.equals(description(peer)) && !isPenalized(other));
    }

    @Override
    public boolean hasOtherThan(final Set<String> peers) {
        final Site last;
        synchronized (lock) {
            last = known;
        }
        return last != null
                && last.peers().stream()
                        .map(PeerStatus::getPeerDescription)
                        .anyMatch(peer -> !peers.contains(peer.getHostname() + ":" + peer.getPort()));
    }

    private static PeerDescription description(final RemotePort port) {
        return new PeerDescription(port.host(), port.port(), port.tls() != null);
    }

    @Override
    public void full(final RemotePort peer) {
        passOver(peer, Duration.ofNanos(config.getPenalizationPeriod(TimeUnit.NANOSECONDS)));
    }

    private void passOver(final RemotePort peer, final Duration time) {
        penalizedUntil.put(description(peer), System.nanoTime() + time.toNanos());
    }

    /** Passes over the peer for a while if the failure is of its making. */
    @Override
    public void failed(final RemotePort peer, final TransactionException failure) {
        switch (failure.reason()) {
            case CONTENT_FAILED,
                    RECEIVER_FAILED,
                    RECEIVER_TOO_SLOW,
                    CANCELLED,
                    CONNECTOR_CLOSED,
                    TOO_MANY_WAITING,
                    INTERNAL_ERROR:
                break;
            case UNKNOWN_PORT:
                forgetIdentifiers();
                if (hasOther(peer)) {
                    passOver(peer, REFUSED_PENALTY);
                }
                break;
            case UNAUTHORIZED, TLS_FAILED, REFUSED:
                if (hasOther(peer)) {
                    passOver(peer, REFUSED_PENALTY);
                } else {
                    full(peer);
                }
                break;
            default:
                full(peer);
        }
    }

    /** Perhaps the port was made again, under the same name: the next transaction waits until NiFi was asked. */
    private void forgetIdentifiers() {
        synchronized (lock) {
            if (known != null) {
                known = new Site(Map.of(), known.secure(), known.peers());
                askAgainNanos = System.nanoTime();
            }
        }
    }

    /** @return whether packets travel over TLS. Blocks until the site is known */
    boolean isSecure() throws IOException {
        final CompletableFuture<Site> asked;
        synchronized (lock) {
            asked = known == null ? ask() : CompletableFuture.completedFuture(known);
        }
        try {
            return asked.copy()
                    .orTimeout(timeoutMillis(), TimeUnit.MILLISECONDS)
                    .join()
                    .secure();
        } catch (final CompletionException e) {
            throw findFailure(e);
        }
    }

    private long timeoutMillis() {
        return config.getTimeout(TimeUnit.MILLISECONDS);
    }

    @Override
    public String name() {
        return urls();
    }

    private String urls() {
        return String.join(",", config.getUrls());
    }

    private String portName() {
        return config.getPortName() != null ? config.getPortName() : config.getPortIdentifier();
    }

    private TransactionException findFailure(final Throwable failure) {
        final Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof final TransactionException known) {
            return known;
        }
        final String message = cause instanceof TimeoutException
                ? "NiFi did not tell its peers within " + timeoutMillis() + " ms"
                : "The peers can't be found: " + cause.getMessage();
        return failure(FailureReason.NO_PEER, message, cause);
    }

    private TransactionException failure(final FailureReason reason, final String message, final Throwable cause) {
        return new TransactionException(urls(), portName(), TransactionStep.FIND_PEER, reason, message, cause);
    }

    /** Stops to look for peers; transactions under way go on. */
    @Override
    public void close() {
        asker.shutdownNow();
    }
}
