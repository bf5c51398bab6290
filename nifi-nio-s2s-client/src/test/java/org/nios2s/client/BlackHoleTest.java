// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.client.internal.connection.Transport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whatever takes words and never answers: a thousand pushes end within their deadline, and the client can be closed. */
class BlackHoleTest {
    private static final Logger logger = LoggerFactory.getLogger(BlackHoleTest.class);

    private static final int MANY = 1_000;
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    /** A thousand that wait for each other would need far longer, however busy the machine is. */
    private static final Duration MOST = Outcomes.NEVER;

    private static final AtomicInteger NAMES = new AtomicInteger();
    private static final int PROBE_MILLIS = 300;
    private static final int MOST_QUEUED = 64;

    /** Where nothing comes back from. */
    enum Hole {
        REST_THAT_IS_SILENT,
        REST_THAT_DOES_NOT_ACCEPT,
        REST_WHOSE_NAME_IS_NOT_RESOLVED,
        PEERS_OF_A_SILENT_NODE,
        PEERS_OF_A_NODE_WHOSE_NAME_IS_NOT_RESOLVED,
        RAW_THAT_IS_SILENT,
        RAW_THAT_DOES_NOT_ACCEPT,
        RAW_WHOSE_NAME_IS_NOT_RESOLVED,
        PROXY_WHOSE_NAME_IS_NOT_RESOLVED
    }

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        SilentNames.letGo();
        for (final AutoCloseable each : open) {
            each.close();
        }
    }

    /** @return the port of a listener whose system accepts connections for it, and where nobody reads them */
    private int silent() throws IOException {
        final ServerSocket socket = new ServerSocket(0, MANY, InetAddress.getLoopbackAddress());
        open.add(socket);
        return socket.getLocalPort();
    }

    /** @return the port of a listener whose queue is full: the first word of TCP stays without an answer */
    private int full() throws IOException {
        final ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        open.add(socket);
        for (int i = 0; i < MOST_QUEUED; i++) {
            final Socket queued = new Socket();
            open.add(queued);
            try {
                queued.connect(socket.getLocalSocketAddress(), PROBE_MILLIS);
            } catch (final SocketTimeoutException e) {
                return socket.getLocalPort();
            }
        }
        throw new IllegalStateException(MOST_QUEUED + " connections in a queue for one");
    }

    /** A new one each time: the JVM remembers for a while what was not found. */
    private static String unresolved() {
        return "host-" + NAMES.incrementAndGet() + SilentNames.DOMAIN;
    }

    private SiteToSite.Builder leadTo(final Hole hole) throws IOException {
        final SiteToSite.Builder builder =
                NioSiteToSite.builder().deadline(DEADLINE).shutdownTimeout(Outcomes.NEVER);
        return switch (hole) {
            case REST_THAT_IS_SILENT -> builder.url("http://127.0.0.1:" + silent() + "/nifi");
            case REST_THAT_DOES_NOT_ACCEPT -> builder.url("http://127.0.0.1:" + full() + "/nifi");
            case REST_WHOSE_NAME_IS_NOT_RESOLVED -> builder.url("http://" + unresolved() + ":8080/nifi");
            case PEERS_OF_A_SILENT_NODE -> builder.url(site(silent()).url());
            case PEERS_OF_A_NODE_WHOSE_NAME_IS_NOT_RESOLVED -> {
                final ScriptedServer server = new ScriptedServer();
                open.add(server);
                server.peers.put(unresolved(), new int[] {server.port(), 0});
                yield builder.url(site(server.port()).url());
            }
            case RAW_THAT_IS_SILENT -> builder.address("127.0.0.1", silent());
            case RAW_THAT_DOES_NOT_ACCEPT -> builder.address("127.0.0.1", full());
            case RAW_WHOSE_NAME_IS_NOT_RESOLVED -> builder.address(unresolved(), 10_443);
            case PROXY_WHOSE_NAME_IS_NOT_RESOLVED ->
                builder.address("127.0.0.1", silent()).proxy(PeerProxy.of(PeerProxy.Kind.SOCKS5, unresolved(), 1_080));
        };
    }

    private ScriptedSite site(final int rawPort) throws IOException {
        final ScriptedSite site = new ScriptedSite(rawPort);
        open.add(site);
        return site;
    }

    @Test
    void aUrlThatDoesNotAcceptLeavesTimeForTheNextOne() throws Exception {
        final ScriptedServer server = new ScriptedServer();
        open.add(server);
        server.peers.put("127.0.0.1", new int[] {server.port(), 0});
        try (SiteToSite nifi = NioSiteToSite.builder()
                .url("http://127.0.0.1:" + full() + "/nifi", site(server.port()).url())
                .connectTimeout(Duration.ofSeconds(2))
                .build()) {
            assertEquals(
                    1,
                    nifi.inputPort("in")
                            .send(Outcomes.packet("a"))
                            .get(20, TimeUnit.SECONDS)
                            .packets());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aThousandPushesEndWithinTheirDeadline(final Hole hole) throws Exception {
        final long startedNanos = System.nanoTime();
        final AtomicLong latestNanos = new AtomicLong();
        final Map<FailureReason, Integer> reasons = new EnumMap<>(FailureReason.class);
        try (SiteToSite nifi = leadTo(hole).build()) {
            final List<CompletableFuture<TransactionResult>> pushes = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                final long begun = System.nanoTime();
                final CompletableFuture<TransactionResult> push =
                        nifi.inputPort("in").send(Outcomes.packet("a"));
                pushes.add(push.whenComplete(
                        (result, failure) -> latestNanos.accumulateAndGet(System.nanoTime() - begun, Math::max)));
            }
            for (final CompletableFuture<TransactionResult> push : pushes) {
                final TransactionException failure = Outcomes.failureOf(push);
                reasons.merge(failure.reason(), 1, Integer::sum);
            }
        }
        final Duration latest = Duration.ofNanos(latestNanos.get());
        logger.info(
                "{}, Java {}: {} pushes with a deadline of {} ended after at most {} ms: {}",
                hole,
                Runtime.version().feature(),
                MANY,
                DEADLINE,
                latest.toMillis(),
                reasons);
        final Duration all = Duration.ofNanos(System.nanoTime() - startedNanos);
        assertTrue(all.compareTo(MOST) < 0, "ended after " + latest + ", closed after " + all);
        assertEquals(Map.of(FailureReason.DEADLINE_EXCEEDED, MANY), reasons);
    }

    @Test
    void anIoWorkerServesOthersWhileTheNameOfAProxyIsNotResolved() throws Exception {
        final EventLoopGroup one = Transport.best().workers(1, new DefaultThreadFactory("one", true));
        try (ScriptedServer server = new ScriptedServer();
                SiteToSite direct = NioSiteToSite.builder()
                        .address("127.0.0.1", server.port())
                        .eventLoops(one)
                        .build();
                SiteToSite proxied = NioSiteToSite.builder()
                        .address("127.0.0.1", server.port())
                        .eventLoops(one)
                        .shutdownTimeout(Duration.ZERO)
                        .proxy(PeerProxy.of(PeerProxy.Kind.SOCKS5, unresolved(), 1_080))
                        .build()) {
            final CompletableFuture<TransactionResult> waiting =
                    proxied.inputPort("port-id").send(Outcomes.packet("a"));
            Outcomes.await(direct.inputPort("port-id").send(Outcomes.packet("b")));
            Outcomes.await(direct.inputPort("port-id").send(Outcomes.packet("c")));
            assertFalse(waiting.isDone());
        } finally {
            one.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }
}
