// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.nios2s.client.InputPort;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Packet;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionException;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.integration.OwnNifi;
import org.nios2s.integration.Peers;
import org.nios2s.integration.SharedNifi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node of two hangs, dies, or refuses TLS, under a client as it is by default: every send succeeds, and the log says how long
 * the longest took. The test's thread sends over TLS, twenty at a time.
 */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class BadNodeIT {
    private static final Logger logger = LoggerFactory.getLogger(BadNodeIT.class);

    private static final int SENDS = 1_000;
    private static final int AT_A_TIME = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(180);

    private static NifiCluster cluster;

    @BeforeAll
    static void start() {
        cluster = NifiCluster.start(
                OwnNifi.options(SharedNifi.HOMES.resolve("bad-node"))
                        .secure(true)
                        .heap("768m"),
                2);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static NifiNode bad() {
        return cluster.nodes().getLast();
    }

    private static String[] urls() {
        return cluster.nodes().stream()
                .map(node -> node.info().api().replace("/nifi-api", "/nifi"))
                .toArray(String[]::new);
    }

    private static SiteToSite site() {
        return NioSiteToSite.builder()
                .url(urls())
                .tls(new TlsClients(bad().security()).authorized())
                .build();
    }

    /** Interrupts the whole process, or lets it go on. */
    private static void signal(final String name) throws Exception {
        final long pid = bad().info().pid();
        assertEquals(0, new ProcessBuilder("kill", "-" + name, "" + pid).start().waitFor());
    }

    @Test
    @Order(1)
    void aNodeThatHangsHoldsUpNobodyForLong() throws Exception {
        try (SiteToSite site = warm()) {
            signal("STOP");
            try {
                send(site.inputPort("input"), "hung");
            } finally {
                signal("CONT");
            }
        }
    }

    @Test
    @Order(2)
    void aNodeThatHangsWhenTheClientComes() throws Exception {
        signal("STOP");
        try (SiteToSite site = site()) {
            send(site.inputPort("input"), "hung before the client came");
        } finally {
            signal("CONT");
        }
    }

    @Test
    @Order(3)
    void aNodeThatDiesOrWhoseTlsFails() throws Exception {
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> cluster.nodes().getFirst().flow().connectedNodes() == 2);
        final TlsClients contexts = new TlsClients(bad().security());
        final InetSocketAddress address = Peers.address(bad());
        // All of them know the node, and none that it is dead, when their turn comes.
        try (SiteToSite beforeDeath = warm();
                SiteToSite beforeRefusal = warm();
                SiteToSite beforeStranger = warm()) {
            bad().kill();
            send(beforeDeath.inputPort("input"), "dead");
            try (FailingTls refusal = new FailingTls(address, contexts.withoutCertificate())) {
                send(beforeRefusal.inputPort("input"), "refusing TLS");
                assertNotEquals(0, refusal.failures(), "handshakes that the node refused");
            }
            try (FailingTls stranger = new FailingTls(address, contexts.untrusted())) {
                send(beforeStranger.inputPort("input"), "shown by a certificate that nobody knows");
                assertNotEquals(0, stranger.failures(), "handshakes that the client refused");
            }
        }
    }

    /** Listens where the dead node did, and completes no TLS handshake. Has a thread of its own. */
    private static final class FailingTls implements AutoCloseable {
        private final ServerSocket socket;
        private final AtomicInteger failures = new AtomicInteger();

        FailingTls(final InetSocketAddress address, final SSLContext context) throws IOException {
            socket = context.getServerSocketFactory().createServerSocket();
            socket.bind(address);
            Thread.ofPlatform().daemon().name("failing-tls").start(this::accept);
        }

        private void accept() {
            while (!socket.isClosed()) {
                try (SSLSocket accepted = (SSLSocket) socket.accept()) {
                    accepted.startHandshake();
                    // By TLS 1.3 the server is ready before the client has refused it.
                    accepted.getInputStream().read();
                } catch (final SSLException e) {
                    failures.incrementAndGet();
                } catch (final IOException e) {
                    logger.debug("A peer left, or the test is over", e);
                }
            }
        }

        int failures() {
            return failures.get();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** Both nodes are known to it, and have connections. */
    private static SiteToSite warm() throws IOException, InterruptedException {
        final SiteToSite site = site();
        send(site.inputPort("input"), "healthy");
        return site;
    }

    private static void send(final InputPort port, final String state) throws InterruptedException {
        final LongAccumulator longestMillis = new LongAccumulator(Math::max, 0);
        final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<Throwable> unknown = new ConcurrentLinkedQueue<>();
        final Semaphore places = new Semaphore(AT_A_TIME);
        final List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < SENDS; i++) {
            places.acquire();
            final long begunNanos = System.nanoTime();
            all.add(port.send(Packet.of(Map.of("number", "" + i), new byte[] {1}))
                    .handle((result, failure) -> {
                        longestMillis.accumulate(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos));
                        places.release();
                        if (failure instanceof final TransactionException known && known.isOutcomeUnknown()) {
                            unknown.add(failure);
                        } else if (failure != null) {
                            failures.add(failure);
                        }
                        return null;
                    }));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
        logger.info(
                "a node of two is {}: {} sends over TLS, the longest wait {} ms, {} with an unknown outcome, {} failed",
                state,
                SENDS,
                longestMillis,
                unknown.size(),
                failures.size());
        assertEquals(0, failures.size(), () -> failures.peek().toString());
    }
}
