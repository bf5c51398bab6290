// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.PeerDescription;
import org.apache.nifi.remote.PeerStatus;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.PeerSelector;
import org.apache.nifi.remote.client.PeerStatusProvider;
import org.apache.nifi.remote.client.SiteInfoProvider;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;

/**
 * A port of a cluster, or of a standalone NiFi, that is known by the URLs of its REST API. Any thread; what blocks runs on
 * virtual threads.
 *
 * <p>NiFi's own classes ask the REST API, keep the list of peers fresh and persistent, weigh peers by their queued
 * FlowFiles and pass over penalized ones. A peer is penalized when a transaction with it failed or when it said that it is
 * full.
 */
public final class RemoteCluster implements AutoCloseable {
    /** As NiFi's client: how often is looked whether the peers are due. */
    private static final Duration REFRESH_PAUSE = Duration.ofSeconds(5);

    private final SiteToSiteConnector connector;
    private final SiteToSiteClientConfig config;
    private final SiteInfoProvider site;
    private final PeerSelector selector;
    private final TlsContext tls;
    private final ReentrantLock refreshing = new ReentrantLock();
    private final CountDownLatch peersAsked = new CountDownLatch(1);
    private final ScheduledFuture<?> refresh;

    RemoteCluster(
            final SiteToSiteConnector connector,
            final SiteToSiteClientConfig config,
            final SSLContext restTls,
            final TlsContext tls) {
        if (config.getPortName() == null && config.getPortIdentifier() == null) {
            throw new IllegalArgumentException("The configuration names neither a port nor a port identifier");
        }
        if (config.getUrls() == null || config.getUrls().isEmpty()) {
            throw new IllegalArgumentException("The configuration has no URL of a NiFi");
        }
        this.connector = connector;
        this.config = config;
        this.tls = tls;
        this.site = siteInfo(restTls);
        this.selector = new PeerSelector(new RawPeers(), config.getPeerPersistence());
        selector.setEventReporter(config.getEventReporter());
        this.refresh = connector.repeat(this::refreshPeers, REFRESH_PAUSE);
    }

    private SiteInfoProvider siteInfo(final SSLContext restTls) {
        final int timeout = (int) config.getTimeout(TimeUnit.MILLISECONDS);
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

    /** @see SiteToSiteConnector#push(RemotePort, Collection) */
    public CompletableFuture<TransactionResult> push(final Collection<Packet> packets) {
        if (packets.isEmpty()) {
            return CompletableFuture.failedFuture(
                    new IllegalArgumentException("A push to " + name() + " needs at least one packet"));
        }
        return transact(TransferDirection.SEND, port -> connector.push(port, packets));
    }

    /** @see SiteToSiteConnector#pull(RemotePort, PacketReceiver) */
    public CompletableFuture<TransactionResult> pull(final PacketReceiver receiver) {
        return transact(TransferDirection.RECEIVE, port -> connector.pull(port, receiver));
    }

    private CompletableFuture<TransactionResult> transact(
            final TransferDirection direction,
            final Function<RemotePort, CompletableFuture<TransactionResult>> transaction) {
        final CompletableFuture<TransactionResult> result = new CompletableFuture<>();
        connector.virtualThreads().execute(() -> {
            try {
                run(findPort(direction), transaction, result);
            } catch (final TransactionException e) {
                result.completeExceptionally(e);
            } catch (final RuntimeException | LinkageError e) {
                // A library that is missing must not leave the caller waiting.
                result.completeExceptionally(failure(FailureReason.NO_PEER, e.toString(), e));
            }
        });
        return result;
    }

    private void run(
            final RemotePort port,
            final Function<RemotePort, CompletableFuture<TransactionResult>> transaction,
            final CompletableFuture<TransactionResult> result) {
        final CompletableFuture<TransactionResult> inner = transaction.apply(port);
        result.whenComplete((done, failure) -> {
            if (failure instanceof CancellationException) {
                inner.cancel(false);
            }
        });
        inner.whenComplete((done, failure) -> {
            if (failure == null) {
                if (done.destinationFull()) {
                    penalize(port);
                }
                result.complete(done);
            } else {
                final Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                if (cause instanceof TransactionException failed) {
                    penalizeFor(port, failed);
                }
                result.completeExceptionally(cause);
            }
        });
    }

    /**
     * Chooses a peer. Blocks while NiFi is asked.
     *
     * @throws TransactionException if there is no peer, or the port is not known
     */
    RemotePort findPort(final TransferDirection direction) throws TransactionException {
        try {
            final String identifier = portIdentifier(direction);
            if (identifier == null) {
                throw failure(FailureReason.UNKNOWN_PORT, "NiFi has no such public port", null);
            }
            final boolean secure = site.isSecure();
            if (secure && tls == null) {
                throw failure(
                        FailureReason.TLS_FAILED,
                        "NiFi wants secure Site-to-Site, but the configuration has neither an SSLContext nor key stores",
                        null);
            }
            awaitFirstPeers();
            final PeerStatus peer = selector.getNextPeerStatus(direction);
            if (peer == null) {
                throw failure(FailureReason.NO_PEER, "No peer is known, or all of them are penalized for now", null);
            }
            return port(peer.getPeerDescription(), identifier, secure);
        } catch (final TransactionException e) {
            throw e;
        } catch (final IOException e) {
            throw failure(FailureReason.NO_PEER, "The peers can't be found: " + e.getMessage(), e);
        }
    }

    /** Else the first transactions ask for the peers all at once. */
    private void awaitFirstPeers() throws IOException {
        try {
            if (!peersAsked.await(config.getTimeout(TimeUnit.MILLISECONDS), TimeUnit.MILLISECONDS)) {
                throw new IOException("the peers are not known in time");
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for the peers", e);
        }
    }

    private String portIdentifier(final TransferDirection direction) throws IOException {
        final String configured = config.getPortIdentifier();
        return configured != null ? configured : site.getPortIdentifier(config.getPortName(), direction);
    }

    private RemotePort port(final PeerDescription peer, final String identifier, final boolean secure) {
        final Duration timeout = Duration.ofMillis(config.getTimeout(TimeUnit.MILLISECONDS));
        final BatchLimits limits = new BatchLimits(
                config.getPreferredBatchCount(),
                config.getPreferredBatchSize(),
                Duration.ofMillis(config.getPreferredBatchDuration(TimeUnit.MILLISECONDS)));
        return new RemotePort(
                peer.getHostname(),
                peer.getPort(),
                identifier,
                config.isUseCompression(),
                timeout,
                timeout,
                limits,
                secure ? tls : null,
                null);
    }

    /** Passes over the peer for a while. */
    void penalize(final RemotePort port) {
        selector.penalize(
                new PeerDescription(port.host(), port.port(), port.tls() != null),
                config.getPenalizationPeriod(TimeUnit.MILLISECONDS));
    }

    /** Passes over the peer for a while if the failure is of its making. */
    void penalizeFor(final RemotePort port, final TransactionException failure) {
        switch (failure.reason()) {
            case CONTENT_FAILED, RECEIVER_FAILED, CANCELLED, CONNECTOR_CLOSED, TOO_MANY_WAITING:
                break;
            default:
                penalize(port);
        }
    }

    boolean isSecure() throws IOException {
        return site.isSecure();
    }

    private String name() {
        return config.getPortName() != null ? config.getPortName() : config.getPortIdentifier();
    }

    private TransactionException failure(final FailureReason reason, final String message, final Throwable cause) {
        return new TransactionException(
                String.join(",", config.getUrls()), name(), TransactionStep.FIND_PEER, reason, message, cause);
    }

    private void refreshPeers() {
        // One at a time: an unreachable NiFi must not gather threads.
        if (refreshing.tryLock()) {
            try {
                selector.refresh();
            } finally {
                peersAsked.countDown();
                refreshing.unlock();
            }
        }
    }

    /** Stops to look for peers; transactions under way go on. */
    @Override
    public void close() {
        refresh.cancel(false);
        selector.clear();
    }

    /** Asks the peers for each other, over RAW. Blocks; called by NiFi's selector on virtual threads. */
    private final class RawPeers implements PeerStatusProvider {
        @Override
        public PeerDescription getBootstrapPeerDescription() throws IOException {
            final URI url = site.getActiveClusterUrl();
            final Integer port = site.getSiteToSitePort();
            if (port == null) {
                throw new IOException(url + " does not listen to RAW Site-to-Site: set nifi.remote.input.socket.port");
            }
            return new PeerDescription(url.getHost(), port, site.isSecure());
        }

        @Override
        public Set<PeerStatus> fetchRemotePeerStatuses(final PeerDescription peer) throws IOException {
            final RemotePort port = port(peer, "", site.isSecure()).withBatchLimits(BatchLimits.NONE);
            try {
                return connector.peers(port).get(config.getTimeout(TimeUnit.MILLISECONDS), TimeUnit.MILLISECONDS);
            } catch (final ExecutionException e) {
                throw new IOException(e.getCause().getMessage(), e.getCause());
            } catch (final TimeoutException e) {
                throw new IOException(port.peer() + " did not tell its peers in time", e);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("Interrupted while " + port.peer() + " was asked for its peers", e);
            }
        }

        @Override
        public String getRemoteInstanceUris() {
            return String.join(",", List.copyOf(config.getUrls()));
        }

        @Override
        public SiteToSiteTransportProtocol getTransportProtocol() {
            return SiteToSiteTransportProtocol.RAW;
        }
    }
}
