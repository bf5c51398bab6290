// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import org.nios2s.client.AttemptAttributes;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.PeerProxy;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.SiteToSite.Builder;
import org.nios2s.client.TlsContext;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.ConnectionOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.NettyTls;
import org.nios2s.client.internal.connection.Transport;
import org.nios2s.client.internal.site.PortSettings;
import org.nios2s.client.internal.site.RestSite;

/** How a NiFi is reached, and within which limits, checked as it is given. Belongs to one thread until {@link #build}. */
public final class SiteToSiteBuilder implements Builder {
    private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(30);

    final Set<String> urls = new LinkedHashSet<>();
    String host;
    int rawPort;
    SSLContext restTls;
    NettyTls tls;
    boolean verifyHostName = true;
    PeerProxy proxy;
    boolean compress;
    BatchLimits batchLimits = BatchLimits.standard();
    CallOptions options = CallOptions.DEFAULTS;
    RetryPolicy retry = RetryPolicy.standard();
    /** Null for the policy's own. */
    private Duration deliveryTimeout;

    ConnectionOptions connectionOptions = ConnectionOptions.DEFAULTS;
    Duration shutdownTimeout = DEFAULT_SHUTDOWN_TIMEOUT;
    EventLoopGroup eventLoops;
    Executor completion;
    ClientObserver observer = ClientObserver.NONE;

    public SiteToSiteBuilder() {}

    private SiteToSiteBuilder(final SiteToSiteBuilder other) {
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
        retry = other.deliveryTimeout == null ? other.retry : other.retry.withDeliveryTimeout(other.deliveryTimeout);
        connectionOptions = other.connectionOptions;
        shutdownTimeout = other.shutdownTimeout;
        eventLoops = other.eventLoops;
        completion = other.completion;
        observer = other.observer;
    }

    @Override
    public Builder url(final String... url) {
        for (final String each : List.of(url)) {
            RestSite.api(each);
            urls.add(each);
        }
        return this;
    }

    @Override
    public Builder address(final String name, final int port) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("The name of the host is blank");
        }
        Endpoint.requireTcpPort(name, port);
        host = name;
        rawPort = port;
        return this;
    }

    @Override
    public Builder tls(final SSLContext context) {
        restTls = context;
        return tls(NettyTls.of(context));
    }

    @Override
    public Builder tls(final TlsContext packets) {
        tls = NettyTls.of(Objects.requireNonNull(packets, "packets"));
        return this;
    }

    @Override
    public Builder verifyHostName(final boolean verify) {
        verifyHostName = verify;
        return this;
    }

    @Override
    public Builder proxy(final PeerProxy through) {
        proxy = through;
        return this;
    }

    @Override
    public Builder compress(final boolean deflate) {
        compress = deflate;
        return this;
    }

    @Override
    public Builder batchLimits(final BatchLimits limits) {
        batchLimits = Objects.requireNonNull(limits, "limits");
        return this;
    }

    @Override
    public Builder idleTimeout(final Duration max) {
        options = options.withIdleTimeout(Objects.requireNonNull(max, "max"));
        return this;
    }

    @Override
    public Builder requestExpiration(final Duration max) {
        options = options.withRequestExpiration(Objects.requireNonNull(max, "max"));
        return this;
    }

    @Override
    public Builder deadline(final Duration max) {
        options = options.withDeadline(max);
        return this;
    }

    @Override
    public Builder retry(final RetryPolicy policy) {
        retry = Objects.requireNonNull(policy, "policy");
        return this;
    }

    @Override
    public Builder deliveryTimeout(final Duration max) {
        RetryPolicy.standard().withDeliveryTimeout(max);
        deliveryTimeout = max;
        return this;
    }

    @Override
    public Builder ioThreads(final int threads) {
        connectionOptions = connectionOptions.withIoThreads(threads);
        return this;
    }

    @Override
    public Builder eventLoops(final EventLoopGroup shared) {
        Transport.of(shared);
        eventLoops = shared;
        return this;
    }

    @Override
    public Builder maxConnections(final int max) {
        connectionOptions = connectionOptions.withMaxConnections(max);
        return this;
    }

    @Override
    public Builder maxPending(final int max) {
        connectionOptions = connectionOptions.withMaxPending(max);
        return this;
    }

    @Override
    public Builder maxPendingBytes(final long max) {
        connectionOptions = connectionOptions.withMaxPendingBytes(max);
        return this;
    }

    @Override
    public Builder connectTimeout(final Duration max) {
        connectionOptions = connectionOptions.withConnectTimeout(max);
        return this;
    }

    @Override
    public Builder maxIdleTime(final Duration max) {
        connectionOptions = connectionOptions.withMaxIdleTime(max);
        return this;
    }

    @Override
    public Builder reconnectBackoff(final Duration initial, final Duration max) {
        connectionOptions = connectionOptions.withReconnectBackoff(initial, max);
        return this;
    }

    @Override
    public Builder shutdownTimeout(final Duration max) {
        if (max.isNegative()) {
            throw new IllegalArgumentException("shutdownTimeout is " + max + "; accepted: 0 or more");
        }
        shutdownTimeout = max;
        return this;
    }

    @Override
    public Builder completionExecutor(final Executor executor) {
        completion = executor;
        return this;
    }

    @Override
    public Builder attemptAttributes(final AttemptAttributes added) {
        options = options.withAttributes(Objects.requireNonNull(added, "added"));
        return this;
    }

    @Override
    public Builder observer(final ClientObserver listener) {
        observer = Objects.requireNonNull(listener, "listener");
        return this;
    }

    @Override
    public SiteToSite build() {
        if (urls.isEmpty() == (host == null)) {
            throw new IllegalArgumentException("Name NiFi either by url(…) or by address(…): "
                    + (host == null ? "there is neither" : "there are both"));
        }
        return new DefaultSiteToSite(new SiteToSiteBuilder(this));
    }

    PortSettings portSettings() {
        return new PortSettings(tls, proxy, compress, options.idleTimeout(), BatchLimits.none());
    }

    Endpoint port(final String identifier) {
        return new Endpoint(
                host, rawPort, identifier, identifier, compress, options.idleTimeout(), BatchLimits.none(), tls, proxy);
    }
}
