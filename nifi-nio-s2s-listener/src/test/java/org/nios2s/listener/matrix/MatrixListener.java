// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import javax.management.ObjectName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.RemoteSiteListener;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.util.NiFiProperties;
import org.awaitility.core.ConditionFactory;
import org.nios2s.listener.NioRemoteSiteListener;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.port.RecordingPort;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.peers.Message;

/** The whole listener as NiFi makes and starts it, with an input and an output port. Lives on the test's thread. */
final class MatrixListener implements AutoCloseable {
    static final String INPUT = "input";
    static final String OUTPUT = "output";

    /** Within this a stalled peer is expected to be gone; on a busy machine an honest one needs seconds for TLS. */
    static final int HANDSHAKE_MILLIS = 8_000;

    private static final int STALLED_EXPIRATION_MILLIS = 1_000;
    private static final int EXPIRATION_MILLIS = 30_000;
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(2);

    /** Transactions that may be streamed at once: the honest ones of a probe take them all. */
    private static final int STREAMING = 4;

    private final Variant variant;
    private final KeyStore keys;
    private final SSLContext tls;
    private final RecordingPort input;
    private final RecordingPort output;
    private final RemoteSiteListener listener;
    private final InetSocketAddress address;

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

    /** @param keys of NiFi and, unless they say otherwise, its peers; null without TLS */
    private MatrixListener(
            final ClassLoader loader, final Variant variant, final KeyStore keys, final String... settings)
            throws Exception {
        this.variant = variant;
        this.keys = keys;
        tls = variant.isSecure() ? MatrixTls.nifiContext(keys) : null;
        input = new RecordingPort(1);
        output = new RecordingPort(ConnectableType.OUTPUT_PORT, 1);
        final ProcessGroup root = mock(ProcessGroup.class);
        when(root.isRootGroup()).thenReturn(true);
        final PublicPort inputPort = input.port();
        when(root.findInputPort(INPUT)).thenReturn(inputPort);
        final PublicPort outputPort = output.port();
        when(root.findOutputPort(OUTPUT)).thenReturn(outputPort);
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());
        final NiFiProperties properties = properties(address.getPort(), variant, settings);
        listener = create(loader, address.getPort(), tls, properties);
        listener.setRootGroup(root);
        listener.start();
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

    private static NiFiProperties properties(final int port, final Variant variant, final String... settings) {
        final Map<String, String> properties = new HashMap<>();
        properties.put(NiFiProperties.REMOTE_INPUT_HOST, "nifi.example");
        properties.put(NiFiProperties.REMOTE_INPUT_PORT, String.valueOf(port));
        properties.put(NiFiProperties.SITE_TO_SITE_SECURE, String.valueOf(variant.isSecure()));
        properties.put("nifi.remote.input.nio.transport", variant.transport());
        properties.put("nifi.remote.input.nio.transaction.memory", "64 KB");
        properties.put("nifi.remote.input.nio.streaming.transactions", String.valueOf(STREAMING));
        properties.put("nifi.remote.input.nio.handshake.timeout", HANDSHAKE_MILLIS + " millis");
        properties.put("nifi.remote.input.nio.resolve.hostnames", "false");
        if (variant.isSecure()) {
            properties.put("nifi.remote.input.nio.tls.provider", variant.tlsProvider());
        }
        for (int i = 0; i < settings.length; i += 2) {
            properties.put("nifi.remote.input.nio." + settings[i], settings[i + 1]);
        }
        return new NiFiProperties(properties);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    static ConditionFactory awaiting() {
        return await().pollDelay(Duration.ZERO).pollInterval(POLL_INTERVAL).atMost(DEADLINE);
    }

    MatrixPeer connect() throws IOException {
        return new MatrixPeer(address, tls);
    }

    /** Connects as another peer than the usual one. */
    MatrixPeer connect(final SSLContext peer) throws IOException {
        return new MatrixPeer(address, peer);
    }

    /** Connects to another address of the same machine. */
    MatrixPeer connect(final InetAddress other) throws IOException {
        return new MatrixPeer(new InetSocketAddress(other, address.getPort()), tls);
    }

    /** Connects as a load balancer that says for whom it does. */
    MatrixPeer connectBehind(final byte[] header) throws IOException {
        return new MatrixPeer(address, tls, header);
    }

    /** Connects without TLS, whatever the listener speaks. */
    MatrixPeer connectPlain() throws IOException {
        return new MatrixPeer(address, null);
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
        return address.getPort();
    }

    /** Connects and leaves without a word, as a health check. */
    void knock() throws IOException {
        new Socket(address.getAddress(), address.getPort()).close();
    }

    RecordingPort input() {
        return input;
    }

    RecordingPort output() {
        return output;
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
        output.queue(Map.of("name", "value"), content);
    }

    /** As {@link #offer}, unless there is one. */
    void offerOne(final byte[] content) {
        if (output.queued() == 0) {
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
        return new ObjectName("org.nios2s:type=SiteToSiteListener,port=" + address.getPort());
    }

    /** @return what the bean's operation answers */
    String call(final String operation) throws Exception {
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(bean(), operation, null, null);
    }

    /** @return what reads contents */
    ExecutorService contentReaders() throws Exception {
        final Field server = NioRemoteSiteListener.class.getDeclaredField("server");
        server.setAccessible(true);
        final Object running = server.get(listener);
        final Field field = running.getClass().getDeclaredField("threads");
        field.setAccessible(true);
        final Object threads = field.get(running);
        final Method readers = threads.getClass().getDeclaredMethod("contentReaders");
        readers.setAccessible(true);
        return (ExecutorService) readers.invoke(threads);
    }

    /** Reads the only packet of a pull, as it was offered. */
    byte[] readPacket(final MatrixPeer peer, final byte[] content) throws IOException {
        return peer.read(Message.packet(content).length);
    }

    void awaitInPort(final RecordingPort port) {
        awaiting().until(() -> port.inPort() > 0);
    }

    int commits() {
        return input.commits() + output.commits();
    }

    /** Waits until nothing of any peer is left: connection, request, charge or buffer. */
    void awaitAsBefore() {
        input.scheduled(true);
        output.scheduled(true);
        awaiting().until(this::openConnections, open -> open == 0);
        awaiting().until(() -> input.isIdle() && output.isIdle());
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

    /** @return bytes of the listener's allocator that are in use */
    static long pinnedBytes() {
        return PooledByteBufAllocator.DEFAULT.pinnedDirectMemory() + PooledByteBufAllocator.DEFAULT.pinnedHeapMemory();
    }

    /**
     * Honest peers are served as ever: as many streamed pushes at once as may be, so that a permit that was lost is missed,
     * and a pull of whatever is left in the queue.
     */
    void probe() throws IOException {
        final int before = input.commits();
        final List<MatrixPeer> peers = new ArrayList<>();
        try {
            for (int peer = 0; peer < STREAMING; peer++) {
                final MatrixPeer honest = connect();
                peers.add(honest);
                Place.STREAMED_CONTENT.reach(honest, this);
            }
            for (final MatrixPeer honest : peers) {
                honest.say(
                        Place.Size.LARGE_REST,
                        Message.response(ResponseCode.FINISH_TRANSACTION),
                        Message.response(ResponseCode.CONFIRM_TRANSACTION, ""));
                honest.expect(ResponseCode.CONFIRM_TRANSACTION);
                honest.expect(ResponseCode.TRANSACTION_FINISHED);
            }
        } finally {
            for (final MatrixPeer honest : peers) {
                honest.close();
            }
        }
        if (input.commits() != before + STREAMING) {
            throw new IllegalStateException(input.commits() - before + " of " + STREAMING + " pushes were committed");
        }
    }

    /** Waits until every FlowFile that was offered is in the queue again, or was sent, and takes back those in the queue. */
    void takeBack() {
        awaiting().until(() -> output.queued() + output.sent().size() == offered);
        offered -= output.queued();
        output.clearQueue();
    }

    /** @return how this listener serves its sockets */
    Variant variant() {
        return variant;
    }

    /** Stops the listener as NiFi does, under peers that are still connected. */
    void stop() {
        listener.stop();
    }

    @Override
    public void close() {
        stop();
        input.close();
        output.close();
    }
}
