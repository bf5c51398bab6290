// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.apache.nifi.remote.exception.HandshakeException;
import org.apache.nifi.remote.exception.PortNotRunningException;
import org.apache.nifi.remote.exception.ProtocolException;
import org.apache.nifi.remote.exception.UnknownPortException;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.internal.call.ClusterPeerSelector;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.Failures;
import org.nios2s.client.internal.connection.NettyTls;
import org.nios2s.client.internal.transaction.Engine;

/**
 * NiFi's {@link SiteToSiteClient} for RAW on the engine's IO workers, in place of two threads and a pool per instance.
 * Any thread; its methods block the caller as those of NiFi's client do.
 *
 * <p>In place of {@code builder.build()} write {@code new NioSiteToSiteClient(builder.buildConfig())}. All such clients of
 * a JVM share one engine, which is closed with the last of them.
 *
 * <p>Different from NiFi's client:
 *
 * <ul>
 *   <li>A configuration for HTTP is refused.
 *   <li>There are at most 100 connections per port, shared by all clients. A transaction that is never ended holds one. An unused
 *       connection is closed after 30 s; {@code idleExpiration} is ignored.
 *   <li>{@code timeout(0)} fails at once; NiFi's client then waits without limit.
 *   <li>{@link #close} from another thread does not end a transaction in progress; its time-out does.
 *   <li>The cause of a failure is a {@link TransactionException}. {@code ConnectException}, {@code SocketTimeoutException} and TLS
 *       errors are found below it. An unchecked exception of a stream that is sent is the cause of an {@code IOException}.
 *   <li>If no node can be asked for the peers, {@link #createTransaction} throws; NiFi's client returns null.
 *   <li>{@code send(DataPacket)} reads exactly {@code getSize()} bytes, on another thread, and fails if there are fewer. NiFi's client
 *       sends the bytes that there are, and the receiver breaks.
 *   <li>An unread rest of a received packet is skipped; with NiFi's client it spoils the next packet.
 *   <li>When a destination became full the peer is penalized, not the one connection.
 *   <li>{@code EventReporter} is not called, since its type changed in NiFi 2.7.0; see the log.
 * </ul>
 */
public final class NioSiteToSiteClient implements SiteToSiteClient {
    private static final int MOST_FULL_PEERS = 100;

    private final SiteToSiteClientConfig config;
    private final SharedEngine shared;
    private final Engine engine;
    private final ClusterPeerSelector cluster;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Makes a client on the engine that all such clients share. */
    public NioSiteToSiteClient(final SiteToSiteClientConfig config) {
        this(SharedEngine.INSTANCE.acquire(), config, SharedEngine.INSTANCE);
    }

    /** Makes a client on an engine that the caller closes. */
    NioSiteToSiteClient(final Engine engine, final SiteToSiteClientConfig config) {
        this(engine, config, null);
    }

    private NioSiteToSiteClient(final Engine engine, final SiteToSiteClientConfig config, final SharedEngine shared) {
        this.engine = engine;
        this.config = config;
        this.shared = shared;
        boolean made = false;
        try {
            if (config.getTransportProtocol() != SiteToSiteTransportProtocol.RAW) {
                throw new IllegalStateException("Transport protocol '" + config.getTransportProtocol()
                        + "' is not supported, only RAW is: use NiFi's own client for it");
            }
            if (config.getPortName() == null && config.getPortIdentifier() == null) {
                throw new IllegalStateException("Must specify either Port Name or Port Identifier to build a client");
            }
            final SSLContext tls = config.getSslContext();
            // As NiFi's client: whom the trust store knows is trusted, whatever its name.
            this.cluster = ConfiguredPeers.of(
                    engine, config, tls == null ? null : NettyTls.of(tls).withoutHostNameVerification());
            made = true;
        } finally {
            if (!made && shared != null) {
                shared.release();
            }
        }
    }

    /**
     * Begins a transaction.
     *
     * @return null if all peers are penalized, as NiFi's client
     * @throws IOException as NiFi's client: {@link UnknownPortException}, {@link PortNotRunningException},
     *     {@link HandshakeException}, {@link ProtocolException}, or a {@link TransactionException}, which is the cause of
     *     the others
     */
    @Override
    public Transaction createTransaction(final TransferDirection direction) throws IOException {
        if (closed.get()) {
            throw new IllegalStateException("Client is closed");
        }
        for (int i = 0; i < MOST_FULL_PEERS; i++) {
            final Endpoint port = findPort(direction);
            if (port == null) {
                return null;
            }
            try {
                return NioTransaction.begin(engine, cluster, config, port, direction);
            } catch (final TransactionException e) {
                cluster.failed(port, e);
                if (e.reason() != FailureReason.DESTINATION_FULL) {
                    throw asNiFiSays(e);
                }
            }
        }
        return null;
    }

    /** @return null if all peers are penalized */
    private Endpoint findPort(final TransferDirection direction) throws IOException {
        try {
            return cluster.chooseFree(Direction.valueOf(direction.name())).get();
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof final IOException known ? known : new IOException(e.getCause());
        } catch (final InterruptedException e) {
            throw Failures.interrupted("finding a peer", e);
        }
    }

    private static IOException asNiFiSays(final TransactionException failure) {
        final IOException said =
                switch (failure.reason()) {
                    case UNKNOWN_PORT -> new UnknownPortException(failure.getMessage());
                    case PORT_NOT_RUNNING -> new PortNotRunningException(failure.getMessage());
                    case UNAUTHORIZED, REFUSED -> new HandshakeException(failure.getMessage());
                    case PROTOCOL_VIOLATION -> new ProtocolException(failure.getMessage());
                    default -> failure;
                };
        if (said != failure && said.getCause() == null) {
            said.initCause(failure);
        }
        return said;
    }

    @Override
    public boolean isSecure() throws IOException {
        return cluster.isSecure();
    }

    @Override
    public SiteToSiteClientConfig getConfig() {
        return config;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            cluster.close();
            if (shared != null) {
                shared.release();
            }
        }
    }
}
