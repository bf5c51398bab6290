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
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.X509ExtendedKeyManager;
import org.apache.nifi.framework.ssl.FrameworkSslContextHolder;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A factory of TLS handlers that use NiFi's keys, require a client certificate, and offer what NiFi's HTTPS offers. Handshake tasks
 * run on threads of the factory. Thread-safe.
 *
 * <p>The JDK's TLS works on NiFi's {@link SSLContext}, BoringSSL on NiFi's key and trust manager. Both follow key and trust stores
 * that NiFi reloads while it runs. Where BoringSSL serves, the JDK serves the peers that BoringSSL would refuse, see {@link JdkPeers}.
 */
public final class TlsHandlerFactory implements AutoCloseable {
    /** The implementation of TLS. */
    public enum Provider {
        /** {@link #OPENSSL} if it loads and can use NiFi's key, otherwise {@link #JDK}. */
        AUTO,
        /** BoringSSL. */
        OPENSSL,
        /** The JDK's own. */
        JDK
    }

    /** The types of keys that Java's TLS serves with. */
    private static final List<String> KEY_TYPES = List.of("RSA", "EC", "EdDSA", "RSASSA-PSS", "DSA");

    private static final Logger logger = LoggerFactory.getLogger(TlsHandlerFactory.class);

    /** The bytes that a record of TLS takes. */
    public static final int RECORD_BYTES = 16 * 1024;

    /** Less than 16 KiB, since the JDK counts what encryption adds: with TLS 1.3 a record has 16,367 bytes of ours. */
    private static final int RECORD_BYTES_OF_JDK = 16_000;

    private final SslContext jdk;
    private final BoringSslContext boringSsl;
    private final long peersKeyLimitBytes;
    private final JdkPeers jdkPeers = new JdkPeers(NanoClock.SYSTEM);
    private final Obstacle obstacle;
    private final ExecutorService handshakes;

    /** The reason why BoringSSL does not serve, though the setting allows it. */
    private record Obstacle(Provider choice, String reason) {
        private static final Obstacle NONE = new Obstacle(Provider.JDK, "");
    }

    private TlsHandlerFactory(
            final SslContext jdk,
            final BoringSslContext boringSsl,
            final Obstacle obstacle,
            final int handshakeThreads,
            final long peersKeyLimitBytes) {
        this.jdk = jdk;
        this.boringSsl = boringSsl;
        this.peersKeyLimitBytes = peersKeyLimitBytes;
        this.obstacle = obstacle;
        this.handshakes = Executors.newFixedThreadPool(
                handshakeThreads, new DefaultThreadFactory("Site-to-Site NIO Handshake", true));
    }

    /** For peers whose Java renews keys as Java does by default. */
    public static TlsHandlerFactory create(
            final SSLContext sslContext, final Provider choice, final int handshakeThreads) {
        return create(sslContext, choice, handshakeThreads, ReadKey.DEFAULT_LIMIT_BYTES);
    }

    /**
     * @param choice of the provider; if OpenSSL can't serve, the JDK does, see {@link #reportObstacle}
     * @param peersKeyLimitBytes after which the Java of peers is taken to renew a key
     */
    public static TlsHandlerFactory create(
            final SSLContext sslContext,
            final Provider choice,
            final int handshakeThreads,
            final long peersKeyLimitBytes) {
        final TlsParameters offer = TlsParameters.ofHttps(sslContext);
        final SslContext jdk = jdkContext(sslContext, offer);
        BoringSslContext boringSsl = null;
        Obstacle obstacle = Obstacle.NONE;
        if (choice != Provider.JDK) {
            try {
                final String reason = obstacleToOpenSsl(offer);
                if (reason == null) {
                    boringSsl = new BoringSslContext(offer);
                } else {
                    obstacle = new Obstacle(choice, reason);
                }
            } catch (final SSLException | RuntimeException | LinkageError e) {
                logger.debug("OpenSSL can't serve TLS", e);
                obstacle = new Obstacle(choice, e.toString());
            }
        }
        return new TlsHandlerFactory(jdk, boringSsl, obstacle, handshakeThreads, peersKeyLimitBytes);
    }

    private static SslContext jdkContext(final SSLContext sslContext, final TlsParameters offer) {
        return new JdkSslContext(
                sslContext,
                false,
                offer.suites(),
                SupportedCipherSuiteFilter.INSTANCE,
                null,
                ClientAuth.REQUIRE,
                offer.protocols().toArray(String[]::new),
                false);
    }

    /** Logs why the JDK serves though it was not chosen: an ERROR if OpenSSL was chosen, otherwise a WARN. */
    public void reportObstacle() {
        switch (obstacle.choice) {
            case OPENSSL ->
                logger.error(
                        "OpenSSL can't serve TLS here: {}. The JDK serves TLS, which takes more processor time. Remove the cause, or set"
                                + " nifi.remote.input.nio.tls.provider to auto or jdk",
                        obstacle.reason);
            case AUTO ->
                logger.warn(
                        "The JDK serves TLS, which takes more processor time, since OpenSSL can't: {}. Remove the cause, or accept it"
                                + " with nifi.remote.input.nio.tls.provider=jdk",
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
        final String obstacle = PeerKeys.obstacle(BoringSslContext.certificates());
        if (obstacle != null) {
            return obstacle;
        }
        final boolean extractable = serverAliases(keyManager)
                .map(keyManager::getPrivateKey)
                .anyMatch(key -> key != null && key.getEncoded() != null);
        if (!extractable) {
            return "NiFi's private key does not leave its key store";
        }
        return offer.obstacleToBoringSsl();
    }

    /** @return the aliases of the keys with which a server may serve */
    static Stream<String> serverAliases(final X509ExtendedKeyManager keyManager) {
        return KEY_TYPES.stream()
                .map(keyType -> keyManager.getServerAliases(keyType, null))
                .filter(Objects::nonNull)
                .flatMap(Arrays::stream);
    }

    /** @return bytes that fit into one record, whatever the cipher suite */
    public static int recordBytes(final SSLEngine engine) {
        if (engine instanceof ReferenceCountedOpenSslEngine) {
            return RECORD_BYTES;
        }
        return RECORD_BYTES_OF_JDK;
    }

    /** @return the key with which a peer reads whose handshake has ended */
    public ReadKey readKey(final SSLEngine engine) {
        if (engine instanceof ReferenceCountedOpenSslEngine
                && TlsParameters.TLS_1_3.equals(engine.getSession().getProtocol())) {
            return new ReadKey(peersKeyLimitBytes);
        }
        return ReadKey.unlimited();
    }

    /** @return the implementation, for the log */
    public String provider() {
        if (boringSsl == null) {
            return "JDK";
        }
        return OpenSsl.versionString();
    }

    /** A handler for a channel whose turns nobody asks for, and of which nothing is learnt. */
    public SslHandler create(final Channel channel, final Duration handshakeTimeout) {
        return create(channel, null, handshakeTimeout, new TlsTasks());
    }

    /**
     * @param address of the peer, or null if the connection is our own
     * @param tasks is told of each task that runs on the factory's threads for this channel
     */
    public SslHandler create(
            final Channel channel, final InetAddress address, final Duration handshakeTimeout, final TlsTasks tasks) {
        final SslHandler handler =
                contextFor(address).newHandler(channel.alloc(), task -> execute(task, channel, tasks));
        // Each write is a record: where it ends matters to MiNiFi, see PullPiece.
        handler.setWrapDataSize(0);
        handler.setHandshakeTimeout(handshakeTimeout.toMillis(), TimeUnit.MILLISECONDS);
        return handler;
    }

    private SslContext contextFor(final InetAddress address) {
        if (boringSsl == null || address != null && jdkPeers.contains(address)) {
            return jdk;
        }
        return Objects.requireNonNullElse(boringSsl.get(), jdk);
    }

    /**
     * A handshake has failed in which the peer had said something.
     *
     * @param engine that served it: a failure of the JDK shows nothing about BoringSSL
     * @return whether the JDK serves the next connection from its address, since BoringSSL may be the cause
     */
    public boolean learnFromHandshake(final SSLEngine engine, final InetAddress address, final Throwable failure) {
        return engine instanceof ReferenceCountedOpenSslEngine && jdkPeers.handshakeFailed(address, failure);
    }

    /**
     * A connection has failed in TLS behind its handshake.
     *
     * @return as {@link #learnFromHandshake}
     */
    public boolean learnFromNewKeys(final InetAddress address, final SSLException failure) {
        return boringSsl != null && jdkPeers.failedBehindHandshake(address, failure);
    }

    /** A peer's certificate was accepted: where BoringSSL had refused it, it is not tried again. */
    public void learnFromPeer(final SSLEngine engine, final InetAddress address) throws SSLPeerUnverifiedException {
        if (engine instanceof ReferenceCountedOpenSslEngine) {
            jdkPeers.handshakeSucceeded(address);
        } else if (boringSsl != null) {
            jdkPeers.accepted(
                    address, engine.getSession().getPeerCertificates()[0].getPublicKey());
        }
    }

    /** On the IO worker. */
    private void execute(final Runnable task, final Channel channel, final TlsTasks tasks) {
        handshakes.execute(() -> {
            // In a storm of reconnects the queue is long, and the peer may have given up before its turn.
            if (channel.isActive()) {
                task.run();
                // The task has posted its continuation to the IO worker: this runs behind it.
                tellWorker(channel, tasks);
            }
        });
        tasks.begun();
    }

    private static void tellWorker(final Channel channel, final TlsTasks tasks) {
        try {
            channel.eventLoop().execute(tasks::ended);
        } catch (final RejectedExecutionException e) {
            logger.debug("The listener has stopped during a TLS handshake", e);
        }
    }

    /** @return whether the handshake that has just ended resumed a session: the JDK tells it only by the age of the session */
    public static boolean isResumed(final SSLEngine engine, final long acceptedMillis) {
        if (engine instanceof final ReferenceCountedOpenSslEngine openSsl) {
            return SSL.isSessionReused(openSsl.sslPointer());
        }
        return engine.getSession().getCreationTime() < acceptedMillis;
    }

    @Override
    public void close() {
        handshakes.shutdownNow();
    }
}
