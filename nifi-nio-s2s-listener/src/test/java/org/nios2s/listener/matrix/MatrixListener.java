// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.management.ObjectName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.apache.nifi.remote.RemoteSiteListener;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.NioRemoteSiteListener;
import org.nios2s.listener.ServedListener;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.port.RecordingPort;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** A listener that serves its sockets in one of several ways, by the real time, and connections to it. Lives on the test's thread. */
final class MatrixListener extends ServedListener {
    /** Within this a stalled peer is expected to be gone; on a busy machine an honest one needs seconds for TLS. */
    static final int HANDSHAKE_MILLIS = 8_000;

    private static final int STALLED_EXPIRATION_MILLIS = 1_000;
    private static final int EXPIRATION_MILLIS = 30_000;

    /** Transactions that may be streamed at once: the honest ones of a probe take them all. */
    private static final int STREAMING = 4;

    private final Variant variant;
    private final KeyStore keys;
    private final SSLContext tls;

    private int offered;
    private volatile int expirationMillis = EXPIRATION_MILLIS;

    /** One that is not in a hurry: the first handshake in a JVM takes seconds where the machine is busy. */
    static MatrixListener patient(final Variant variant, final String... settings) throws Exception {
        final List<String> all = new ArrayList<>(List.of("handshake.timeout", EXPIRATION_MILLIS + " millis"));
        all.addAll(List.of(settings));
        return new MatrixListener(variant, all.toArray(String[]::new));
    }

    /** One whose NiFi has these keys. */
    static MatrixListener of(final KeyStore keys, final String... settings) throws Exception {
        return new MatrixListener(MatrixListener.class.getClassLoader(), Variant.BORINGSSL_EPOLL, keys, settings);
    }

    /** @param settings keys without {@code nifi.remote.input.nio.}, and values, in turn: beside those of the matrix */
    MatrixListener(final Variant variant, final String... settings) throws Exception {
        this(MatrixListener.class.getClassLoader(), variant, settings);
    }

    /** @param loader of the listener's classes */
    MatrixListener(final ClassLoader loader, final Variant variant, final String... settings) throws Exception {
        this(loader, variant, variant.isSecure() ? MatrixTls.store("CN=matrix, OU=Tests") : null, settings);
    }

    private MatrixListener(
            final ClassLoader loader, final Variant variant, final KeyStore keys, final String... settings)
            throws Exception {
        this(loader, variant, keys, variant.isSecure() ? MatrixTls.nifiContext(keys) : null, settings);
    }

    /**
     * @param keys of NiFi and, unless they say otherwise, its peers; null without TLS
     * @param tls made of these keys, or null
     */
    private MatrixListener(
            final ClassLoader loader,
            final Variant variant,
            final KeyStore keys,
            final SSLContext tls,
            final String... settings)
            throws Exception {
        super((port, properties) -> create(loader, port, tls, properties), tls != null, all(variant, settings));
        this.variant = variant;
        this.keys = keys;
        this.tls = tls;
    }

    private static RemoteSiteListener create(
            final ClassLoader loader, final int port, final SSLContext tls, final NiFiProperties properties)
            throws ReflectiveOperationException {
        final Class<?> settings = loader.loadClass(ListenerSettings.class.getName());
        return (RemoteSiteListener) loader.loadClass(NioRemoteSiteListener.class.getName())
                .getConstructor(int.class, SSLContext.class, NiFiProperties.class, NodeInformant.class, settings)
                .newInstance(
                        port,
                        tls,
                        properties,
                        null,
                        settings.getMethod("from", NiFiProperties.class).invoke(null, properties));
    }

    private static String[] all(final Variant variant, final String... settings) {
        final List<String> all = new ArrayList<>(List.of(
                "transport",
                variant.transport(),
                "transaction.memory",
                "64 KB",
                "streaming.transactions",
                String.valueOf(STREAMING),
                "handshake.timeout",
                HANDSHAKE_MILLIS + " millis",
                "resolve.hostnames",
                "false"));
        if (variant.isSecure()) {
            all.addAll(List.of("tls.provider", variant.tlsProvider()));
        }
        all.addAll(List.of(settings));
        return all.toArray(String[]::new);
    }

    TestPeer connect() throws IOException {
        return new TestPeer(address(), tls);
    }

    /** Connects as another peer than the usual one. */
    TestPeer connect(final SSLContext peer) throws IOException {
        return new TestPeer(address(), peer);
    }

    /** Connects to another address of the same machine. */
    TestPeer connect(final InetAddress other) throws IOException {
        return new TestPeer(new InetSocketAddress(other, port()), tls);
    }

    /** Connects as a load balancer that says for whom it does. */
    TestPeer connectBehind(final byte[] header) throws IOException {
        return new TestPeer(address(), tls, header);
    }

    /** Connects without TLS, whatever the listener speaks. */
    TestPeer connectPlain() throws IOException {
        return new TestPeer(address(), null);
    }

    /** @return what a client of TLS says first, or nothing where there is no TLS */
    byte[] clientHello() throws IOException {
        if (tls == null) {
            return new byte[0];
        }
        final SSLEngine client = tls.createSSLEngine();
        client.setUseClientMode(true);
        final ByteBuffer hello = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
        client.wrap(ByteBuffer.allocate(0), hello);
        return Arrays.copyOf(hello.array(), hello.position());
    }

    /** @return key and trust of both ends */
    KeyStore keys() {
        return keys;
    }

    int port() {
        return address().getPort();
    }

    /** Connects and leaves without a word, as a health check. */
    void knock() throws IOException {
        new Socket(address().getAddress(), port()).close();
    }

    /** Peers that stall don't have to be waited for long. */
    void expireSoon(final boolean soon) {
        expirationMillis = soon ? STALLED_EXPIRATION_MILLIS : EXPIRATION_MILLIS;
    }

    String[] properties(final String... others) {
        final List<String> all =
                new ArrayList<>(List.of("REQUEST_EXPIRATION_MILLIS", String.valueOf(expirationMillis)));
        all.addAll(List.of(others));
        return all.toArray(String[]::new);
    }

    /** Puts a FlowFile into the output port's queue. */
    void offer(final byte[] content) {
        offered++;
        output().queue(Map.of("name", "value"), content);
    }

    /** As {@link #offer}, unless there is one. */
    void offerOne(final byte[] content) {
        if (output().queued() == 0) {
            offer(content);
        }
    }

    /** @return connections that were closed for something that is not their peer's fault */
    long internalFaults() throws Exception {
        return faults(ConnectionFault.Kind.INTERNAL) + faults(ConnectionFault.Kind.COMMIT_FAILED);
    }

    /** @return faults of a kind */
    long faults(final ConnectionFault.Kind kind) throws Exception {
        return metric("Faults_" + kind);
    }

    /** @return what the listener's bean says */
    long metric(final String attribute) throws Exception {
        return ((Number) ManagementFactory.getPlatformMBeanServer().getAttribute(bean(), attribute)).longValue();
    }

    private ObjectName bean() throws Exception {
        return new ObjectName("org.nios2s:type=SiteToSiteListener,port=" + port());
    }

    /** @return what the bean's operation answers */
    String call(final String operation) throws Exception {
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(bean(), operation, null, null);
    }

    /** Reads the only packet of a pull, as it was offered. */
    byte[] readPacket(final TestPeer peer, final byte[] content) throws IOException {
        return peer.read(Message.packet(content).length);
    }

    void awaitInPort(final RecordingPort port) {
        awaiting().until(() -> port.inPort() > 0);
    }

    int commits() {
        return input().commits() + output().commits();
    }

    /** Waits until nothing of any peer is left: connection, request, charge or buffer. */
    void awaitAsBefore() {
        input().scheduled(true);
        output().scheduled(true);
        awaiting().until(this::openConnections, open -> open == 0);
        awaiting().until(() -> input().isIdle() && output().isIdle());
        awaiting().until(() -> metric("BufferUsedBytes"), used -> used == 0);
        awaiting().until(MatrixListener::pinnedBytes, pinned -> pinned == 0);
    }

    /** Waits until every connection has gone. */
    void awaitNoConnection() {
        awaiting().until(this::openConnections, open -> open == 0);
    }

    private long openConnections() throws Exception {
        return metric("ConnectionsOpen");
    }

    /**
     * Honest peers are served as ever: as many streamed pushes at once as may be, so that a permit that was lost is missed,
     * and a pull of whatever is left in the queue.
     */
    void probe() throws IOException {
        final int before = input().commits();
        final List<TestPeer> peers = new ArrayList<>();
        try {
            for (int peer = 0; peer < STREAMING; peer++) {
                final TestPeer honest = connect();
                peers.add(honest);
                Place.STREAMED_CONTENT.reach(honest, this);
            }
            for (final TestPeer honest : peers) {
                honest.say(
                        Place.Size.LARGE_REST,
                        Message.response(ResponseCode.FINISH_TRANSACTION),
                        Message.response(ResponseCode.CONFIRM_TRANSACTION, ""));
                honest.expect(ResponseCode.CONFIRM_TRANSACTION);
                honest.expect(ResponseCode.TRANSACTION_FINISHED);
            }
        } finally {
            for (final TestPeer honest : peers) {
                honest.close();
            }
        }
        if (input().commits() != before + STREAMING) {
            throw new IllegalStateException(input().commits() - before + " of " + STREAMING + " pushes were committed");
        }
    }

    /** Waits until every FlowFile that was offered is in the queue again, or was sent, and takes back those in the queue. */
    void takeBack() {
        awaiting().until(() -> output().queued() + output().sent().size() == offered);
        offered -= output().queued();
        output().clearQueue();
    }

    /** @return how this listener serves its sockets */
    Variant variant() {
        return variant;
    }
}
