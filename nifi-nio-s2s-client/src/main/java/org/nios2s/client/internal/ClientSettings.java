// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.PeerProxy;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.ConnectionOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.NettyTls;
import org.nios2s.client.internal.site.PortSettings;

/** How a NiFi is reached, and within which limits. Belongs to one thread while it is set; nobody changes a {@link #complete} one. */
final class ClientSettings {
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
    Duration deliveryTimeout;

    ConnectionOptions connectionOptions = ConnectionOptions.DEFAULTS;
    Duration shutdownTimeout = DEFAULT_SHUTDOWN_TIMEOUT;
    EventLoopGroup eventLoops;
    Executor completion;
    ClientObserver observer = ClientObserver.NONE;

    ClientSettings() {}

    private ClientSettings(final ClientSettings other) {
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

    /** @return a copy in which those that depend on each other agree */
    ClientSettings complete() {
        return new ClientSettings(this);
    }

    PortSettings portSettings() {
        return new PortSettings(tls, proxy, compress, options.idleTimeout(), BatchLimits.none());
    }

    Endpoint port(final String identifier) {
        return new Endpoint(
                host, rawPort, identifier, identifier, compress, options.idleTimeout(), BatchLimits.none(), tls, proxy);
    }
}
