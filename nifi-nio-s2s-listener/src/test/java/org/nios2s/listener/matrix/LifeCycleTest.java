// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mockConstruction;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import ch.qos.logback.classic.Level;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.mockito.MockedConstruction;
import org.nios2s.listener.NioRemoteSiteListener;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.ConnectionLimit;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.peers.LogLines;
import org.nios2s.peers.TestPeer;

/** The listener starts, accepts and stops. Lives on the test's thread. */
class LifeCycleTest {
    private static final int PATIENCE_MILLIS = 20_000;

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("Site-to-Site NIO"))
                .collect(Collectors.toSet());
    }

    private static List<String> errorsOf(final Guarded.Task action) throws Exception {
        return linesOf(Level.ERROR, action);
    }

    private static List<String> linesOf(final Level level, final Guarded.Task action) throws Exception {
        try (LogLines log = new LogLines(NioRemoteSiteListener.class, Level.INFO)) {
            action.run();
            return log.lines(level);
        }
    }

    @Test
    @DisplayName("a port that is in use is one error that says what to do, and is served as soon as it is free")
    void portInUse() throws Exception {
        final Set<Thread> before = threads();
        final NioRemoteSiteListener listener;
        final int port;
        try (ServerSocket other = new ServerSocket(0)) {
            port = other.getLocalPort();
            final NiFiProperties properties = new NiFiProperties(Map.of(
                    NiFiProperties.REMOTE_INPUT_PORT,
                    String.valueOf(port),
                    NiFiProperties.SITE_TO_SITE_SECURE,
                    "false"));
            listener = new NioRemoteSiteListener(port, null, properties, null, ListenerSettings.from(properties));
            final List<String> errors = errorsOf(listener::start);
            assertEquals(1, errors.size());
            assertTrue(
                    errors.get(0).startsWith("The NIO Site-to-Site listener is unable to open port " + port),
                    errors.get(0));
            assertTrue(errors.get(0).contains("change " + NiFiProperties.REMOTE_INPUT_PORT), errors.get(0));
        }
        assertEquals(List.of(), errorsOf(() -> MatrixListener.awaiting().until(() -> isServed(port))));
        listener.stop();
        MatrixListener.awaiting().until(() -> before.containsAll(threads()));
    }

    @Test
    @DisplayName("a routing rule that NiFi can't read is one error that names the rule, and no port in use")
    void ruleWithoutPort() throws Exception {
        final NiFiProperties properties = new NiFiProperties(
                Map.of("nifi.remote.route.raw.proxy.when", "true", "nifi.remote.route.raw.proxy.hostname", "proxy"));
        final NioRemoteSiteListener listener =
                new NioRemoteSiteListener(0, null, properties, null, ListenerSettings.from(properties));
        try {
            final List<String> errors = errorsOf(listener::start);
            assertEquals(1, errors.size(), errors::toString);
            assertTrue(errors.getFirst().contains("[proxy] 'port' is not specified"), errors.getFirst());
            assertTrue(errors.getFirst().endsWith("remove the cause first"), errors.getFirst());
        } finally {
            listener.stop();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a health check is no fault, whatever serves it")
    void healthCheck(final Variant variant) throws Exception {
        try (MatrixListener listener = MatrixListener.patient(variant)) {
            listener.knock();
            MatrixListener.awaiting().until(() -> listener.metric("ConnectionsClosed"), closed -> closed == 1);
            assertEquals(0, listener.metric("Faults"));
        }
    }

    private static boolean isServed(final int port) {
        try {
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    @Test
    @DisplayName("a listener that is stopped before its port is free keeps nothing, and does not come back")
    void stoppedBeforeThePortIsFree() throws Exception {
        final Set<Thread> before = threads();
        try (ServerSocket other = new ServerSocket(0)) {
            final int port = other.getLocalPort();
            final NiFiProperties properties = new NiFiProperties(Map.of());
            final NioRemoteSiteListener listener =
                    new NioRemoteSiteListener(port, null, properties, null, ListenerSettings.from(properties));
            assertEquals(1, errorsOf(listener::start).size());
            listener.stop();
            MatrixListener.awaiting().until(() -> before.containsAll(threads()));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "false, ${s2s.source.hostname:equals('a')}, 1",
        "true,  ${s2s.source.hostname:equals('a')}, 0",
        "false, ${s2s.target.hostname:equals('a')}, 0"
    })
    @DisplayName("a rule that tests names of hosts, where none are looked up, is one line at the start")
    void ruleThatNeverMatches(final String resolve, final String rule, final int lines) throws Exception {
        final int port;
        try (ServerSocket other = new ServerSocket(0)) {
            port = other.getLocalPort();
        }
        final NiFiProperties properties = new NiFiProperties(Map.of(
                NiFiProperties.REMOTE_INPUT_PORT,
                String.valueOf(port),
                NiFiProperties.SITE_TO_SITE_SECURE,
                "false",
                "nifi.remote.input.nio.resolve.hostnames",
                resolve,
                "nifi.remote.route.raw.proxy.when",
                rule,
                "nifi.remote.route.raw.proxy.hostname",
                "proxy",
                "nifi.remote.route.raw.proxy.port",
                "443"));
        final NioRemoteSiteListener listener =
                new NioRemoteSiteListener(port, null, properties, null, ListenerSettings.from(properties));
        try {
            final List<String> warnings = linesOf(Level.WARN, listener::start);
            assertEquals(lines, warnings.size(), warnings::toString);
        } finally {
            listener.stop();
        }
    }

    @Test
    @DisplayName("a connection that fails while it is accepted is closed; of many one line tells")
    void failsWhileAccepted() throws Exception {
        try (MockedConstruction<ConnectionLimit> limits = mockConstruction(
                        ConnectionLimit.class, (limit, context) -> doThrow(new IllegalStateException("test"))
                                .when(limit)
                                .add(any(), any()));
                MatrixListener listener = MatrixListener.patient(Variant.PLAIN_NIO)) {
            final List<String> errors = errorsOf(() -> {
                for (int connections = 1; connections <= 2; connections++) {
                    try (TestPeer peer = listener.connect()) {
                        assertTrue(peer.isEndedWithin(PATIENCE_MILLIS));
                    }
                    verify(limits.constructed().get(0), times(connections)).add(any(), any());
                }
            });
            assertEquals(1, errors.size(), errors::toString);
            assertTrue(errors.get(0).contains("test"), errors.get(0));
        }
    }

    @Test
    @DisplayName("a listener that stops while a content is read gives everything back when it was")
    void stopsWhileReading() throws Exception {
        final AtomicInteger reads = new AtomicInteger();
        final CountDownLatch mayRead = new CountDownLatch(1);
        final MatrixListener listener = MatrixListener.patient(Variant.PLAIN_NIO);
        listener.output().beforeRead(() -> {
            // The second FlowFile is behind the first piece: a content worker reads it.
            if (reads.incrementAndGet() == 2) {
                MatrixListener.awaiting().until(() -> mayRead.getCount() == 0);
            }
        });
        listener.offer(new byte[300_000]);
        listener.offer(new byte[300_000]);
        try (TestPeer peer = listener.connect()) {
            Place.PULL.reach(peer, listener);
            peer.request("RECEIVE_FLOWFILES");
            peer.expect(ResponseCode.MORE_DATA);
            peer.read(250_000);
            MatrixListener.awaiting().until(() -> reads.get() == 2);
            final ExecutorService contentReaders = listener.contentReaders();
            final Thread stopping = Thread.ofPlatform().start(listener::close);
            MatrixListener.awaiting().until(contentReaders::isShutdown);
            mayRead.countDown();
            stopping.join();
        }
        MatrixListener.awaiting().until(() -> listener.output().queued() == 2);
        MatrixListener.awaiting().until(() -> MatrixListener.pinnedBytes() == 0);
    }
}
