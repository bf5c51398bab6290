// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/**
 * A NiFi, or a cluster of them, and what exchanges packets with its ports over RAW Site-to-Site: thousands of
 * transactions at a time on a handful of threads. One per NiFi and JVM is enough; any thread.
 *
 * <p>Every failure is a {@link TransactionException}, as the cause of what a future throws. A caller that completes a
 * returned future, such as by {@code cancel} or {@code orTimeout}, ends its transaction, on the peer too as far as the
 * protocol allows it. Futures complete on the completion executor, by default each on a virtual thread, so that what
 * depends on them may block.
 */
public final class SiteToSite implements AutoCloseable {
    /** How long NiFi waits for a handler, unless told otherwise. */
    private static final Duration PULL_EXPIRATION = Duration.ofMinutes(5);

    private final Builder settings;
    private final Executor completion;
    private final Engine engine;
    private final CallRegistry attempts;
    /** Null where an address is given. */
    private final Site site;

    private final Map<String, PeerSelector> peers = new ConcurrentHashMap<>();

    private SiteToSite(final Builder settings) {
        this.settings = settings;
        this.engine = new Engine(
                settings.engineOptions,
                settings.eventLoops == null ? Transport.best() : Transport.of(settings.eventLoops),
                settings.eventLoops,
                settings.observer);
        this.completion = settings.completion == null ? engine.virtualThreads() : settings.completion;
        this.attempts = new CallRegistry(engine, completion, settings.observer);
        this.site = settings.urls.isEmpty() ? null : Site.ofUrls(engine, settings);
    }

    /** Begins to describe a NiFi; name its {@link Builder#url URLs} or its {@link Builder#address address}. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * A port that takes packets.
     *
     * @param nameOrId name or id of a public input port; an id where the RAW address is given, since only the REST API
     *     knows names
     */
    public InputPort inputPort(final String nameOrId) {
        return new InputPort(this, peers(nameOrId), settings.options, settings.retry);
    }

    /**
     * A port that gives packets.
     *
     * @param nameOrId as for {@link #inputPort}
     */
    public OutputPort outputPort(final String nameOrId) {
        final CallOptions options = settings.options.requestExpiration() == null
                ? settings.options.withRequestExpiration(PULL_EXPIRATION)
                : settings.options;
        return new OutputPort(this, peers(nameOrId), options, settings.retry, settings.batchLimits);
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

    CallRegistry attempts() {
        return attempts;
    }

    Engine engine() {
        return engine;
    }

    Executor completion() {
        return completion;
    }

    Duration shutdownTimeout() {
        return settings.shutdownTimeout;
    }

    ClientObserver observer() {
        return settings.observer;
    }

    /** @return what there is at this moment, for gauges */
    public ClientStatistics statistics() {
        return engine.statistics().withPending(attempts.withoutAttempt());
    }

    /** The same as {@link #close(Duration)} with the builder's {@link Builder#shutdownTimeout}. */
    @Override
    public void close() {
        close(settings.shutdownTimeout);
    }

    /**
     * Takes no transaction any more, waits for those that were begun, whether they look for a peer, wait, run or pause
     * before another attempt, then ends what is left with {@link FailureReason#CLIENT_CLOSED} and every connection.
     * Batching senders and receivers are to be closed before. An interrupt ends the waiting, and on an IO worker there is
     * none.
     *
     * @param longest how long it waits; zero for not at all
     */
    public void close(final Duration longest) {
        if (longest.isNegative()) {
            throw new IllegalArgumentException("The time to wait is " + longest + "; accepted: 0 or more");
        }
        final long startedNanos = System.nanoTime();
        engine.refuseOthers();
        attempts.drain(longest);
        final long left = TimeUnit.NANOSECONDS.convert(longest) - (System.nanoTime() - startedNanos);
        engine.drain(Duration.ofNanos(Math.max(0, left)));
        attempts.stop();
        if (site != null) {
            site.close();
        }
        engine.close();
        attempts.close();
    }

    /** How a NiFi is reached, and within which limits. Belongs to one thread until {@link #build}. */
    public static final class Builder {
        private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(30);

        final Set<String> urls = new LinkedHashSet<>();
        private String host;
        private int rawPort;
        SSLContext restTls;
        TlsContext tls;
        private boolean verifyHostName = true;
        PeerProxy proxy;
        boolean compress;
        BatchLimits batchLimits = BatchLimits.standard();
        CallOptions options = CallOptions.DEFAULTS;
        private RetryPolicy retry = RetryPolicy.standard();
        /** Null for the policy's own. */
        private Duration deliveryTimeout;

        private EngineOptions engineOptions = EngineOptions.DEFAULTS;
        private Duration shutdownTimeout = DEFAULT_SHUTDOWN_TIMEOUT;
        private EventLoopGroup eventLoops;
        private Executor completion;
        private ClientObserver observer = ClientObserver.NONE;

        private Builder() {}

        private Builder(final Builder other) {
            urls.addAll(other.urls);
            host = other.host;
            rawPort = other.rawPort;
            restTls = other.restTls;
            tls = other.tls == null || other.verifyHostName ? other.tls : other.tls.withoutHostNameVerification();
            verifyHostName = other.verifyHostName;
            proxy = other.proxy;
            compress = other.compress;
            batchLimits = other.batchLimits;
            options = other.options;
            retry = other.deliveryTimeout == null
                    ? other.retry
                    : other.retry.withDeliveryTimeout(other.deliveryTimeout);
            engineOptions = other.engineOptions;
            shutdownTimeout = other.shutdownTimeout;
            eventLoops = other.eventLoops;
            completion = other.completion;
            observer = other.observer;
        }

        /**
         * Names a NiFi by its web address. Its REST API says the rest: ports, RAW address, TLS or not, the other nodes of its
         * cluster.
         *
         * @param url such as {@code https://nifi.example.org:8443/nifi}; more nodes of the cluster may follow
         * @throws IllegalArgumentException if one is no URL of HTTP or HTTPS
         */
        public Builder url(final String... url) {
            for (final String each : List.of(url)) {
                RestSite.api(each);
                urls.add(each);
            }
            return this;
        }

        /**
         * Names one NiFi by the address of its RAW Site-to-Site listener; the REST API is not asked.
         *
         * @param name or address of the host
         * @param port {@code nifi.remote.input.socket.port}
         */
        public Builder address(final String name, final int port) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("The name of the host is blank");
            }
            Endpoint.requireTcpPort(name, port);
            host = name;
            rawPort = port;
            return this;
        }

        /** @param context its key manager has the client certificate, its trust manager knows NiFi */
        public Builder tls(final SSLContext context) {
            restTls = context;
            return tls(TlsContext.of(context));
        }

        /** @param packets TLS for packets, such as BoringSSL; the REST API is asked with the {@link SSLContext} given before */
        public Builder tls(final TlsContext packets) {
            tls = Objects.requireNonNull(packets, "packets");
            return this;
        }

        /** @param verify whether NiFi's certificate has to name the host that is connected to. Default: true */
        public Builder verifyHostName(final boolean verify) {
            verifyHostName = verify;
            return this;
        }

        /**
         * @param through what packets travel through, and an HTTP proxy also what the REST API is asked through. Default: what
         *     the JVM says ({@code -DsocksProxyHost} for packets, {@code -Dhttps.proxyHost} for the REST API), otherwise none
         */
        public Builder proxy(final PeerProxy through) {
            proxy = through;
            return this;
        }

        /** @param deflate whether packets are deflated on the wire. Default: false */
        public Builder compress(final boolean deflate) {
            compress = deflate;
            return this;
        }

        /** @param limits where NiFi ends a batch that is pulled. Default: {@link BatchLimits#standard} */
        public Builder batchLimits(final BatchLimits limits) {
            batchLimits = Objects.requireNonNull(limits, "limits");
            return this;
        }

        /**
         * @param longest how long a transaction may wait for a connection, and its peer take nothing and say nothing.
         *     Default: 30 s
         */
        public Builder idleTimeout(final Duration longest) {
            options = options.withIdleTimeout(Objects.requireNonNull(longest, "longest"));
            return this;
        }

        /**
         * @param longest how long NiFi is told to wait for us within a transaction: for the source of a push, for the handler of
         *     a pull. Default: the idle time-out for pushes, 5 min for pulls
         */
        public Builder requestExpiration(final Duration longest) {
            options = options.withRequestExpiration(Objects.requireNonNull(longest, "longest"));
            return this;
        }

        /**
         * @param longest how long a transaction may take altogether, attempts and pauses included; null for no limit, which is
         *     the default
         */
        public Builder deadline(final Duration longest) {
            options = options.withDeadline(longest);
            return this;
        }

        /** @param policy which failed transactions are tried again. Default: {@link RetryPolicy#standard} */
        public Builder retry(final RetryPolicy policy) {
            retry = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * Replaces the delivery time-out of the retry policy, whichever is given first.
         *
         * @param longest in which attempts of a transaction may begin, see {@link RetryPolicy#withDeliveryTimeout}. Default:
         *     2 minutes
         */
        public Builder deliveryTimeout(final Duration longest) {
            RetryPolicy.standard().withDeliveryTimeout(longest);
            deliveryTimeout = longest;
            return this;
        }

        /** @param threads IO workers, 1 to 8; each serves thousands of connections. Default: 2 */
        public Builder ioThreads(final int threads) {
            engineOptions = engineOptions.withIoThreads(threads);
            return this;
        }

        /**
         * @param shared event loops of Netty that serve as IO workers, of its NIO or its epoll transport; they stay the
         *     caller's. Default: own ones
         * @throws IllegalArgumentException if they are of another transport
         */
        public Builder eventLoops(final EventLoopGroup shared) {
            Transport.of(shared);
            eventLoops = shared;
            return this;
        }

        /** @param most connections to one port of one node. Default: 100 */
        public Builder maxConnections(final int most) {
            engineOptions = engineOptions.withMaxConnections(most);
            return this;
        }

        /**
         * @param most transactions of one port that may wait, for a peer, a connection or another attempt, beside those that
         *     have a connection; one more fails with {@link FailureReason#TOO_MANY_PENDING}. Default: 10,000
         */
        public Builder maxPending(final int most) {
            engineOptions = engineOptions.withMaxPending(most);
            return this;
        }

        /** @param longest from the resolution of the name to the end of the handshake. Default: 10 s */
        public Builder connectTimeout(final Duration longest) {
            engineOptions = engineOptions.withConnectTimeout(longest);
            return this;
        }

        /** @param longest that an unused connection is kept. Default: 30 s, after which NiFi would close it */
        public Builder maxIdleTime(final Duration longest) {
            engineOptions = engineOptions.withMaxIdleTime(longest);
            return this;
        }

        /**
         * Pauses after a connection could not be opened, doubled with every further failure.
         *
         * @param first default: 100 ms
         * @param longest default: 10 s
         */
        public Builder reconnectBackoff(final Duration first, final Duration longest) {
            engineOptions = engineOptions.withReconnectBackoff(first, longest);
            return this;
        }

        /** @param longest that {@link SiteToSite#close} waits for transactions under way. Default: 30 s */
        public Builder shutdownTimeout(final Duration longest) {
            if (longest.isNegative()) {
                throw new IllegalArgumentException("shutdownTimeout is " + longest + "; accepted: 0 or more");
            }
            shutdownTimeout = longest;
            return this;
        }

        /**
         * @param executor completes futures; {@code Runnable::run} saves a thread's switch where nothing that depends on them
         *     blocks. Default: a virtual thread each
         */
        public Builder completionExecutor(final Executor executor) {
            completion = executor;
            return this;
        }

        /** @param hears what happens, for metrics and alarms */
        public Builder observer(final ClientObserver hears) {
            observer = Objects.requireNonNull(hears, "hears");
            return this;
        }

        /** Opens nothing yet: connections come with transactions. */
        public SiteToSite build() {
            if (urls.isEmpty() == (host == null)) {
                throw new IllegalArgumentException("Name NiFi either by url(…) or by address(…): "
                        + (host == null ? "there is neither" : "there are both"));
            }
            return new SiteToSite(new Builder(this));
        }

        PortSettings portSettings() {
            return new PortSettings(tls, proxy, compress, options.idleTimeout(), BatchLimits.none());
        }

        private Endpoint port(final String identifier) {
            return new Endpoint(
                    host, rawPort, identifier, compress, options.idleTimeout(), BatchLimits.none(), tls, proxy);
        }
    }
}
