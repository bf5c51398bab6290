// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.QueueClient;
import org.nios2s.harness.nifi.QueuedFlowFile;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.peers.TestPeer;

/**
 * Agents behind a real HAProxy, plain and over TLS: FlowFiles have the agent's address, and health checks are no faults.
 * Runs on the thread of the tests against the shared NiFis, where there is a HAProxy.
 */
@ResourceLock(SharedNifi.Lock.NIO)
@ResourceLock(SharedNifi.Lock.NIO_SECURED)
class BehindHaProxyIT {

    private static final String AGENT = "127.0.0.9";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** HAProxy looks ten times a second. */
    private static final int HEALTH_CHECKS = 5;

    private static Path program;

    @BeforeAll
    static void needsHaProxy() {
        final Optional<Path> found = HaProxy.program();
        assumeTrue(
                found.isPresent(),
                "HAProxy is not on the path: install it (Debian's package haproxy), or name it with -D"
                        + HaProxy.PROGRAM);
        program = found.orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "NIO, send-proxy",
        "NIO, send-proxy-v2",
        "NIO, send-proxy-v2 proxy-v2-options crc32c",
        "NIO_SECURED, send-proxy",
        "NIO_SECURED, send-proxy-v2"
    })
    void flowFilesHaveTheAddressOfTheAgent(final SharedNifi shared, final String option) throws Exception {
        final NifiNode nifi = shared.withEmptyLoop();
        final Component queue = SharedNifi.loop(nifi);
        final double faultsBefore = nifi.metrics("SiteToSiteListener").get("Faults");
        try (HaProxy balancer = HaProxy.start(program, nifi.info(), option);
                Socket socket = connect(nifi, balancer)) {
            final TestPeer agent = Peers.atPort(new TestPeer(socket), nifi.portId("loop-in"));
            assertEquals(ResponseCode.TRANSACTION_FINISHED, agent.push(Map.of("filename", option), new byte[] {1}));
            final QueueClient queues = new QueueClient(nifi.rest());
            final List<QueuedFlowFile> arrived = queues.list(queue);
            assertEquals(1, arrived.size());
            final Map<String, String> attributes = queues.attributes(queue, arrived.getFirst());
            // The name is looked up in the background; where there is none it is the address.
            final String host = attributes.get("s2s.host");
            assertEquals(InetAddress.getByName(AGENT), InetAddress.getByName(host));
            assertNotEquals(InetAddress.getByName(HaProxy.ADDRESS), InetAddress.getByName(host));
            assertEquals(host + ":" + socket.getLocalPort(), attributes.get("s2s.address"));
            awaitHealthChecks(nifi);
        }
        assertEquals(faultsBefore, nifi.metrics("SiteToSiteListener").get("Faults"));
    }

    private static void awaitHealthChecks(final NifiNode nifi) {
        final double before = closed(nifi);
        Awaitility.await().atMost(PATIENCE).until(() -> closed(nifi) >= before + HEALTH_CHECKS);
    }

    private static double closed(final NifiNode nifi) {
        final Map<String, Double> metrics = nifi.metrics("SiteToSiteListener");
        return metrics.get("ConnectionsAccepted") - metrics.get("ConnectionsOpen");
    }

    private static Socket connect(final NifiNode nifi, final HaProxy balancer) throws IOException {
        final Socket plain = new Socket();
        plain.bind(new InetSocketAddress(AGENT, 0));
        plain.connect(balancer.address());
        if (nifi.info().security() == null) {
            return plain;
        }
        final SSLContext context = nifi.security().context(nifi.security().keyStore(Identity.CLIENT));
        final SSLSocket secured = (SSLSocket) context.getSocketFactory()
                .createSocket(plain, balancer.address().getHostString(), 0, true);
        secured.startHandshake();
        return secured;
    }
}
