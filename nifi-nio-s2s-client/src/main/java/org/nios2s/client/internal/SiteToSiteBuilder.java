// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
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
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.NettyTls;
import org.nios2s.client.internal.connection.Transport;
import org.nios2s.client.internal.site.RestSite;

/** How a NiFi is reached, and within which limits, checked as it is given. Belongs to one thread until {@link #build}. */
public final class SiteToSiteBuilder implements Builder {
    private final ClientSettings settings = new ClientSettings();

    @Override
    public Builder url(final String... url) {
        for (final String each : List.of(url)) {
            RestSite.api(each);
            settings.urls.add(each);
        }
        return this;
    }

    @Override
    public Builder address(final String name, final int port) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("The name of the host is blank");
        }
        Endpoint.requireTcpPort(name, port);
        settings.host = name;
        settings.rawPort = port;
        return this;
    }

    @Override
    public Builder tls(final SSLContext context) {
        settings.restTls = context;
        settings.tls = NettyTls.of(context);
        return this;
    }

    @Override
    public Builder tls(final TlsContext packets) {
        settings.tls = NettyTls.read(Objects.requireNonNull(packets, "packets"));
        return this;
    }

    @Override
    public Builder verifyHostName(final boolean verify) {
        settings.verifyHostName = verify;
        return this;
    }

    @Override
    public Builder proxy(final PeerProxy through) {
        settings.proxy = through;
        return this;
    }

    @Override
    public Builder compress(final boolean deflate) {
        settings.compress = deflate;
        return this;
    }

    @Override
    public Builder batchLimits(final BatchLimits limits) {
        settings.batchLimits = Objects.requireNonNull(limits, "limits");
        return this;
    }

    @Override
    public Builder idleTimeout(final Duration max) {
        settings.options = settings.options.withIdleTimeout(Objects.requireNonNull(max, "max"));
        return this;
    }

    @Override
    public Builder requestExpiration(final Duration max) {
        settings.options = settings.options.withRequestExpiration(Objects.requireNonNull(max, "max"));
        return this;
    }

    @Override
    public Builder deadline(final Duration max) {
        settings.options = settings.options.withDeadline(max);
        return this;
    }

    @Override
    public Builder retry(final RetryPolicy policy) {
        settings.retry = Objects.requireNonNull(policy, "policy");
        return this;
    }

    @Override
    public Builder deliveryTimeout(final Duration max) {
        RetryPolicy.standard().withDeliveryTimeout(max);
        settings.deliveryTimeout = max;
        return this;
    }

    @Override
    public Builder ioThreads(final int threads) {
        settings.connectionOptions = settings.connectionOptions.withIoThreads(threads);
        return this;
    }

    @Override
    public Builder eventLoops(final EventLoopGroup shared) {
        Transport.of(shared);
        settings.eventLoops = shared;
        return this;
    }

    @Override
    public Builder maxConnections(final int max) {
        settings.connectionOptions = settings.connectionOptions.withMaxConnections(max);
        return this;
    }

    @Override
    public Builder maxPending(final int max) {
        settings.connectionOptions = settings.connectionOptions.withMaxPending(max);
        return this;
    }

    @Override
    public Builder maxPendingBytes(final long max) {
        settings.connectionOptions = settings.connectionOptions.withMaxPendingBytes(max);
        return this;
    }

    @Override
    public Builder connectTimeout(final Duration max) {
        settings.connectionOptions = settings.connectionOptions.withConnectTimeout(max);
        return this;
    }

    @Override
    public Builder maxIdleTime(final Duration max) {
        settings.connectionOptions = settings.connectionOptions.withMaxIdleTime(max);
        return this;
    }

    @Override
    public Builder reconnectBackoff(final Duration initial, final Duration max) {
        settings.connectionOptions = settings.connectionOptions.withReconnectBackoff(initial, max);
        return this;
    }

    @Override
    public Builder shutdownTimeout(final Duration max) {
        if (max.isNegative()) {
            throw new IllegalArgumentException("shutdownTimeout is " + max + "; accepted: 0 or more");
        }
        settings.shutdownTimeout = max;
        return this;
    }

    @Override
    public Builder completionExecutor(final Executor executor) {
        settings.completion = executor;
        return this;
    }

    @Override
    public Builder attemptAttributes(final AttemptAttributes added) {
        settings.options = settings.options.withAttributes(Objects.requireNonNull(added, "added"));
        return this;
    }

    @Override
    public Builder observer(final ClientObserver listener) {
        settings.observer = Objects.requireNonNull(listener, "listener");
        return this;
    }

    @Override
    public SiteToSite build() {
        if (settings.urls.isEmpty() == (settings.host == null)) {
            throw new IllegalArgumentException("Name NiFi either by url(…) or by address(…): "
                    + (settings.host == null ? "there is neither" : "there are both"));
        }
        return new DefaultSiteToSite(settings.complete());
    }
}
