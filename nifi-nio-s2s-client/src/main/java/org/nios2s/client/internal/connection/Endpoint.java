// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import java.time.Duration;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.FailureReason;
import org.nios2s.client.PeerProxy;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;

/**
 * A port of a NiFi and how to talk to it. Immutable; any thread.
 *
 * <p>Two equal remote ports share their connections.
 *
 * @param host name or address of the peer's RAW Site-to-Site listener
 * @param port TCP port of that listener ({@code nifi.remote.input.socket.port})
 * @param portIdentifier the id of the NiFi input or output port
 * @param portName its name, for results, failures and observers; the id where no name is known
 * @param compress whether packets are deflated on the wire
 * @param requestExpiration how long the peer waits for us within a transaction before it gives up
 * @param batchLimits where a pulled batch ends
 * @param tls for TLS with a client certificate; null for plain TCP
 * @param proxy through which the peer is reached; null for the JVM's ({@code -DsocksProxyHost}), if there is one
 */
public record Endpoint(
        String host,
        int port,
        String portIdentifier,
        String portName,
        boolean compress,
        Duration requestExpiration,
        BatchLimits batchLimits,
        NettyTls tls,
        PeerProxy proxy) {
    /** As the timeout of NiFi's client. */
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    private static final int HIGHEST_TCP_PORT = 65_535;

    /** Checks the values. */
    public Endpoint {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(portIdentifier, "portIdentifier");
        Objects.requireNonNull(portName, "portName");
        Objects.requireNonNull(batchLimits, "batchLimits");
        requireTcpPort(host, port);
        Checks.requirePositive("requestExpiration", requestExpiration);
    }

    public static void requireTcpPort(final String host, final int port) {
        if (!isTcpPort(port)) {
            throw new IllegalArgumentException("TCP port " + port + " of " + host + " is not in 1 to 65535");
        }
    }

    public static boolean isTcpPort(final int port) {
        return port >= 1 && port <= HIGHEST_TCP_PORT;
    }

    /** @return a plain, uncompressed port */
    public static Endpoint of(final String host, final int port, final String portIdentifier) {
        return new Endpoint(
                host, port, portIdentifier, portIdentifier, false, DEFAULT_TIMEOUT, BatchLimits.none(), null, null);
    }

    /** @return the same port with packets deflated on the wire or not */
    public Endpoint withCompress(final boolean deflate) {
        return new Endpoint(host, port, portIdentifier, portName, deflate, requestExpiration, batchLimits, tls, proxy);
    }

    /** @return the same port with another time that the peer waits for us */
    public Endpoint withRequestExpiration(final Duration expiration) {
        return new Endpoint(host, port, portIdentifier, portName, compress, expiration, batchLimits, tls, proxy);
    }

    /** @return the same port with other limits of a pulled batch */
    public Endpoint withBatchLimits(final BatchLimits limits) {
        return new Endpoint(host, port, portIdentifier, portName, compress, requestExpiration, limits, tls, proxy);
    }

    /**
     * @param context its key manager has the client certificate, its trust manager knows the peer
     * @return the same port over the JDK's TLS, or over plain TCP if null
     */
    public Endpoint withTls(final SSLContext context) {
        return withTls(context == null ? null : NettyTls.of(context));
    }

    /** @return the same port over TLS, or over plain TCP if null */
    public Endpoint withTls(final NettyTls context) {
        return new Endpoint(
                host, port, portIdentifier, portName, compress, requestExpiration, batchLimits, context, proxy);
    }

    /** @return the same port reached through a proxy, or as the JVM says if null */
    public Endpoint withProxy(final PeerProxy through) {
        return new Endpoint(
                host, port, portIdentifier, portName, compress, requestExpiration, batchLimits, tls, through);
    }

    /** @return a failure with this peer and port, before there is a connection */
    public TransactionException failure(
            final TransactionStep step, final FailureReason reason, final String message, final Throwable cause) {
        return failing(step, reason).message(message).cause(cause).build();
    }

    /** Begins to describe a failure with this peer and port. */
    TransactionException.Builder failing(final TransactionStep step, final FailureReason reason) {
        return TransactionException.builder(step, reason).peer(peer()).port(portName);
    }

    /** @return the peer as {@code host:port}, with an address of IPv6 in brackets */
    public String peer() {
        return peer(host, port);
    }

    public static String peer(final String host, final int port) {
        if (host.contains(":") && !host.startsWith("[")) {
            return "[" + host + "]:" + port;
        }
        return host + ":" + port;
    }

    /** @return whether a port is named; without one, only the peers of the cluster can be asked for */
    boolean hasPortIdentifier() {
        return !portIdentifier.isEmpty();
    }

    /** @return the peer's URL, the prefix of transit URIs in NiFi's provenance */
    public String url() {
        return "nifi://" + peer();
    }
}
