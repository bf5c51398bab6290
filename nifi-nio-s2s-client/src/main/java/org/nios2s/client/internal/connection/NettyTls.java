// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Function;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

/**
 * What is behind a TLS context of the API: makes the handlers of connections. Immutable; any thread.
 *
 * <p>Connections with the same one resume the sessions of earlier ones to the same peer. Two of the same {@link SSLContext} are equal;
 * each one of BoringSSL is equal to itself only.
 */
public final class NettyTls {
    /** How a host name is compared with a certificate: as for HTTPS. */
    private static final String HTTPS = "HTTPS";

    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    /** Set by the API's class, whose users see nothing of this one. */
    private static volatile Function<Object, NettyTls> reader;

    private final SSLContext jdk;
    private final SslContext boringSsl;
    private final boolean verifiesHostName;

    private NettyTls(final SSLContext jdk, final SslContext boringSsl, final boolean verifiesHostName) {
        this.jdk = jdk;
        this.boringSsl = boringSsl;
        this.verifiesHostName = verifiesHostName;
    }

    /**
     * @param context its key manager has the client certificate, its trust manager knows the peer
     * @return TLS by the JDK
     */
    public static NettyTls of(final SSLContext context) {
        return new NettyTls(Objects.requireNonNull(context, "context"), null, true);
    }

    /** @return whether BoringSSL is on the class path ({@code netty-tcnative-boringssl-static}) and loads */
    public static boolean isBoringSslAvailable() {
        return OpenSsl.isAvailable();
    }

    /**
     * @param keys has the client certificate; its private key must be one that can be had ({@code getEncoded}), or null
     *     for none
     * @param trust knows the peer
     * @return TLS by BoringSSL, which takes less processor time than the JDK
     * @throws IllegalStateException if it is not available
     * @throws SSLException if it can't use the key
     */
    public static NettyTls boringSsl(final KeyManager keys, final TrustManager trust) throws SSLException {
        if (!isBoringSslAvailable()) {
            throw new IllegalStateException(
                    "BoringSSL does not load: is io.netty:netty-tcnative-boringssl-static on the class path?",
                    OpenSsl.unavailabilityCause());
        }
        final SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(SslProvider.OPENSSL)
                .protocols(PROTOCOLS)
                .trustManager(trust);
        if (keys != null) {
            builder.keyManager(keys);
        }
        return new NettyTls(null, builder.build(), true);
    }

    /** @param read finds what a context of the API stands for */
    public static void readBy(final Function<Object, NettyTls> read) {
        reader = read;
    }

    /** @param context of the API */
    public static NettyTls read(final Object context) {
        return reader.apply(context);
    }

    /** @return the same, but any certificate that is trusted serves, whatever host it names */
    public NettyTls withoutHostNameVerification() {
        return new NettyTls(jdk, boringSsl, false);
    }

    /** @return the handler of a new connection; host and port are where earlier sessions are looked for */
    SslHandler handler(final ByteBufAllocator allocator, final String host, final int port, final Executor tasks) {
        final SslHandler handler;
        if (boringSsl != null) {
            handler = boringSsl.newHandler(allocator, host, port, tasks);
        } else {
            final SSLEngine engine = jdk.createSSLEngine(host, port);
            engine.setUseClientMode(true);
            handler = new SslHandler(engine, tasks);
        }
        final SSLParameters parameters = handler.engine().getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(verifiesHostName ? HTTPS : null);
        handler.engine().setSSLParameters(parameters);
        // The time for opening a connection has one clock, which knows in which step it is.
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    @Override
    public boolean equals(final Object other) {
        return this == other
                || (other instanceof final NettyTls context
                        && jdk == context.jdk
                        && boringSsl == context.boringSsl
                        && verifiesHostName == context.verifiesHostName);
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(jdk == null ? boringSsl : jdk);
    }
}
