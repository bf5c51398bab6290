// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import io.netty.channel.Channel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.internal.tcnative.SSL;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedKeyManager;
import org.apache.nifi.framework.ssl.FrameworkSslContextHolder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the TLS side of connections from what NiFi uses itself: client certificate required, and offered is what its
 * HTTPS offers. Handshake tasks run on threads of their own. Thread-safe.
 *
 * <p>The JDK's TLS works on NiFi's {@link SSLContext}, BoringSSL on NiFi's key and trust manager. Both follow key and
 * trust stores that NiFi reloads while it runs.
 */
public final class TlsHandlerFactory implements AutoCloseable {
    /** What does the arithmetic of TLS. */
    public enum Provider {
        /** {@link #OPENSSL} where it loads and can use NiFi's key, otherwise {@link #JDK}. */
        AUTO,
        /** BoringSSL. */
        OPENSSL,
        /** The JDK's own. */
        JDK
    }

    private static final Logger logger = LoggerFactory.getLogger(TlsHandlerFactory.class);

    private final Supplier<SslContext> context;
    private final String provider;
    private final Obstacle obstacle;
    private final ExecutorService handshakes;

    /** Why BoringSSL does not serve, though it might have. */
    private record Obstacle(Provider choice, String reason) {
        private static final Obstacle NONE = new Obstacle(Provider.JDK, "");
    }

    private TlsHandlerFactory(
            final Supplier<SslContext> context,
            final String provider,
            final Obstacle obstacle,
            final int handshakeThreads) {
        this.context = context;
        this.provider = provider;
        this.obstacle = obstacle;
        this.handshakes = Executors.newFixedThreadPool(
                handshakeThreads, new DefaultThreadFactory("Site-to-Site NIO Handshake", true));
    }

    /** @param choice of the provider; where OpenSSL can't serve, the JDK does, see {@link #reportObstacle} */
    public static TlsHandlerFactory create(
            final SSLContext sslContext, final Provider choice, final int handshakeThreads) {
        final TlsParameters offer = TlsParameters.ofHttps(sslContext);
        if (choice == Provider.JDK) {
            return onJdk(sslContext, offer, Obstacle.NONE, handshakeThreads);
        }
        try {
            final String obstacle = obstacleToOpenSsl(offer);
            if (obstacle == null) {
                return new TlsHandlerFactory(
                        new BoringSslContext(offer), OpenSsl.versionString(), Obstacle.NONE, handshakeThreads);
            }
            return onJdk(sslContext, offer, new Obstacle(choice, obstacle), handshakeThreads);
        } catch (final SSLException | RuntimeException | LinkageError e) {
            logger.debug("Why OpenSSL can't serve TLS", e);
            return onJdk(sslContext, offer, new Obstacle(choice, e.toString()), handshakeThreads);
        }
    }

    private static TlsHandlerFactory onJdk(
            final SSLContext sslContext,
            final TlsParameters offer,
            final Obstacle obstacle,
            final int handshakeThreads) {
        final SslContext jdk = new JdkSslContext(
                sslContext,
                false,
                offer.suites(),
                SupportedCipherSuiteFilter.INSTANCE,
                null,
                ClientAuth.REQUIRE,
                offer.protocols().toArray(String[]::new),
                false);
        return new TlsHandlerFactory(() -> jdk, "JDK", obstacle, handshakeThreads);
    }

    /** Says why the JDK serves, where it was not chosen: an ERROR if OpenSSL was, a WARN otherwise. */
    public void reportObstacle() {
        switch (obstacle.choice) {
            case OPENSSL ->
                logger.error(
                        "OpenSSL can't serve TLS here: {}. The JDK serves; set nifi.remote.input.nio.tls.provider to auto or"
                                + " jdk",
                        obstacle.reason);
            case AUTO ->
                logger.warn(
                        "The JDK serves TLS, which takes more processor time, since OpenSSL can't: {}. With"
                                + " nifi.remote.input.nio.tls.provider=jdk this line goes away",
                        obstacle.reason);
            default -> {}
        }
    }

    /** @return why OpenSSL can't serve, or null if it can */
    private static String obstacleToOpenSsl(final TlsParameters offer) {
        if (!OpenSsl.isAvailable()) {
            return "its library does not load (" + OpenSsl.unavailabilityCause() + ")";
        }
        final X509ExtendedKeyManager keyManager = FrameworkSslContextHolder.getKeyManager();
        if (keyManager == null || FrameworkSslContextHolder.getTrustManager() == null) {
            return "NiFi does not share its key and trust manager";
        }
        final boolean extractable = serverAliases(keyManager)
                .map(keyManager::getPrivateKey)
                .anyMatch(key -> key != null && key.getEncoded() != null);
        return extractable ? offer.obstacleToBoringSsl() : "NiFi's private key does not leave its key store";
    }

    /** @return of the keys with which a server may serve */
    static Stream<String> serverAliases(final X509ExtendedKeyManager keyManager) {
        return Stream.of("RSA", "EC")
                .map(keyType -> keyManager.getServerAliases(keyType, null))
                .filter(Objects::nonNull)
                .flatMap(Arrays::stream);
    }

    /** @return what does the arithmetic, for the log */
    public String provider() {
        return provider;
    }

    public SslHandler create(final Channel channel, final Duration handshakeTimeout) {
        final SslHandler handler = context.get()
                .newHandler(
                        channel.alloc(),
                        task -> handshakes.execute(() -> {
                            // In a storm of reconnects the peer may have given up long before its turn comes.
                            if (channel.isActive()) {
                                task.run();
                            }
                        }));
        handler.setHandshakeTimeout(handshakeTimeout.toMillis(), TimeUnit.MILLISECONDS);
        return handler;
    }

    /** @return whether the handshake that has just ended went on with a session from before the connection was accepted */
    public static boolean isResumed(final SSLEngine engine, final long acceptedMillis) {
        return engine instanceof final ReferenceCountedOpenSslEngine openSsl
                ? SSL.isSessionReused(openSsl.sslPointer())
                : engine.getSession().getCreationTime() < acceptedMillis;
    }

    @Override
    public void close() {
        handshakes.shutdownNow();
    }
}
