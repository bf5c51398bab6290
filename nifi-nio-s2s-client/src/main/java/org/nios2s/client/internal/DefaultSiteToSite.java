// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.nios2s.client.ClientStatistics;
import org.nios2s.client.InputPort;
import org.nios2s.client.OutputPort;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.internal.call.CallRegistry;
import org.nios2s.client.internal.call.ClusterPeerSelector;
import org.nios2s.client.internal.call.PeerSelector;
import org.nios2s.client.internal.call.SinglePeerSelector;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.NewerJava;
import org.nios2s.client.internal.connection.Transport;
import org.nios2s.client.internal.site.PeerStore;
import org.nios2s.client.internal.site.RestSite;
import org.nios2s.client.internal.site.Site;
import org.nios2s.client.internal.transaction.Engine;

/** A NiFi, or a cluster of them, on an engine of its own. Any thread; closing it blocks. */
final class DefaultSiteToSite implements SiteToSite {
    /** How long NiFi waits for a handler, unless told otherwise. */
    private static final Duration PULL_EXPIRATION = Duration.ofMinutes(5);

    private final ClientSettings settings;
    private final Engine engine;
    private final CallRegistry calls;
    private final ClientContext context;
    /** Null where an address is given. */
    private final Site site;

    private final Map<String, PeerSelector> peers = new ConcurrentHashMap<>();

    /** To be told of the close; one that nobody uses any more is forgotten. */
    private final Set<DefaultBatchingSender> senders =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** @param settings that nobody changes any more */
    DefaultSiteToSite(final ClientSettings settings) {
        this.settings = settings;
        this.engine = new Engine(
                settings.connectionOptions,
                settings.eventLoops == null ? Transport.best() : Transport.of(settings.eventLoops),
                settings.eventLoops,
                settings.observer);
        final Executor completion = settings.completion == null ? NewerJava.blockingTasks() : settings.completion;
        this.calls = new CallRegistry(engine, completion, settings.observer);
        this.context =
                new ClientContext(engine, calls, completion, settings.observer, settings.shutdownTimeout, this::opened);
        this.site = settings.urls.isEmpty() ? null : site();
    }

    private Site site() {
        final RestSite source = new RestSite(
                settings.urls,
                settings.restTls,
                settings.proxy,
                settings.connectionOptions.connectTimeout(),
                settings.options.idleTimeout(),
                engine.lookups());
        return new Site(engine, source, settings.portSettings(), PeerStore.NONE);
    }

    @Override
    public InputPort inputPort(final String nameOrId) {
        return new DefaultInputPort(context, peers(nameOrId), settings.options, settings.retry);
    }

    @Override
    public OutputPort outputPort(final String nameOrId) {
        final CallOptions options = settings.options.requestExpiration() == null
                ? settings.options.withRequestExpiration(PULL_EXPIRATION)
                : settings.options;
        return new DefaultOutputPort(context, peers(nameOrId), options, settings.retry, settings.batchLimits, false);
    }

    private PeerSelector peers(final String nameOrId) {
        if (nameOrId.isBlank()) {
            throw new IllegalArgumentException("A port is known by its name or its id, and this one is blank");
        }
        return peers.computeIfAbsent(nameOrId, this::findPeers);
    }

    private PeerSelector findPeers(final String nameOrId) {
        if (site == null) {
            return new SinglePeerSelector(settings.port(nameOrId));
        }
        site.prepare();
        return ClusterPeerSelector.of(site, nameOrId);
    }

    /** Records that wait in the sender fail when this is closed. */
    private void opened(final DefaultBatchingSender sender) {
        senders.add(sender);
        if (calls.isRefusing()) {
            sender.clientClosed();
        }
    }

    private List<DefaultBatchingSender> senders() {
        synchronized (senders) {
            return List.copyOf(senders);
        }
    }

    @Override
    public ClientStatistics statistics() {
        final ClientStatistics ofCalls = new ClientStatistics(0, 0, calls.withoutAttempt(), 0, 0, calls.pendingBytes());
        return senders().stream()
                .map(DefaultBatchingSender::statistics)
                .reduce(engine.statistics().plus(ofCalls), ClientStatistics::plus);
    }

    @Override
    public void close() {
        close(settings.shutdownTimeout);
    }

    @Override
    public void close(final Duration max) {
        if (max.isNegative()) {
            throw new IllegalArgumentException("The time to wait is " + max + "; accepted: 0 or more");
        }
        final long startedNanos = System.nanoTime();
        engine.refuseOthers();
        calls.refuseOthers();
        senders().forEach(DefaultBatchingSender::clientClosed);
        calls.drain(max);
        final long left = TimeUnit.NANOSECONDS.convert(max) - (System.nanoTime() - startedNanos);
        engine.drain(Duration.ofNanos(Math.max(0, left)));
        calls.stop();
        if (site != null) {
            site.close();
        }
        engine.close();
        calls.close();
    }
}
