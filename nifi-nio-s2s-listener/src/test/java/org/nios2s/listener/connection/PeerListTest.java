// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.listener.connection.SteppedListener.INPUT_PORT;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.nifi.remote.cluster.ClusterNodeInformation;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.remote.cluster.NodeInformation;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/** What a peer hears that asks who there is: in a cluster, behind rules, and while nobody knows. Lives on the test's thread. */
@Timeout(60)
class PeerListTest {
    private static final Map<String, String> NO_PORT = Message.properties(null);
    private static final Function<InetAddress, String> RESOLVER = address -> SteppedListener.HOST_NAME;
    private static final String[] ROUTE_BY_HOST_NAME = {
        "nifi.remote.route.raw.proxy.when", "${s2s.source.hostname:equals('" + SteppedListener.HOST_NAME + "')}",
        "nifi.remote.route.raw.proxy.hostname", "proxy-of-${s2s.target.hostname}",
        "nifi.remote.route.raw.proxy.port", "443",
        "nifi.remote.route.raw.proxy.secure", "true"
    };

    private final CountDownLatch mayAnswer = new CountDownLatch(1);

    private static NodeInformation node(final String host, final Integer port, final int flowFiles) {
        return new NodeInformation(host, port, 8080, 8080, true, flowFiles);
    }

    private static NodeInformant cluster(final NodeInformation... nodes) {
        return () -> informationOf(List.of(nodes));
    }

    private static ClusterNodeInformation informationOf(final Collection<NodeInformation> nodes) {
        final ClusterNodeInformation information = new ClusterNodeInformation();
        information.setNodeInformation(nodes);
        return information;
    }

    private void awaitPermission() {
        try {
            mayAnswer.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<String> list(final TestPeer peer) throws IOException {
        return peer.request("REQUEST_PEER_LIST").peerList();
    }

    @Test
    @DisplayName("the list has the nodes of the cluster with what they have queued; one without a RAW port is left out")
    void cluster() throws Exception {
        final NodeInformant nodes =
                cluster(node("one", 10_443, 500), node("http-only", null, 7), node("two", 10_444, 0));
        try (SteppedListener listener = new SteppedListener(RESOLVER, nodes);
                TestPeer peer = listener.connect()) {
            peer.shakeHands(NO_PORT);
            final List<String> expected = List.of("one:10443 true 500", "two:10444 true 0");
            assertEquals(expected, list(peer));
            assertEquals(expected, list(peer));
            listener.assertNoFault();
        }
    }

    @Test
    @DisplayName("a node that drains leaves itself out, until it resumes")
    void draining() throws Exception {
        final NodeInformant nodes =
                cluster(node("nifi.example", 10_443, 3), node("two", 10_443, 0), node("http-only", null, 7));
        final List<String> all = List.of("nifi.example:10443 true 3", "two:10443 true 0");
        try (SteppedListener listener =
                        new SteppedListener(RESOLVER, nodes, NiFiProperties.REMOTE_INPUT_PORT, "10443");
                TestPeer peer = listener.connect()) {
            peer.shakeHands(NO_PORT);
            assertEquals(all, list(peer));
            listener.drain();
            assertEquals(List.of("two:10443 true 0"), list(peer));
            listener.drainState().resume();
            assertEquals(all, list(peer));
        }
    }

    @Test
    @DisplayName("a node that drains and is the only one stays in its list")
    void drainingAlone() throws Exception {
        try (SteppedListener listener = new SteppedListener(
                        RESOLVER,
                        cluster(node("nifi.example", 10_443, 3), node("http-only", null, 7)),
                        NiFiProperties.REMOTE_INPUT_PORT,
                        "10443");
                TestPeer peer = listener.connect().shakeHands(NO_PORT)) {
            listener.drain();
            assertEquals(List.of("nifi.example:10443 true 3"), list(peer));
        }
    }

    @Test
    @DisplayName("a cluster of nodes without a RAW port has an empty list")
    void noRawPort() throws Exception {
        try (SteppedListener listener = new SteppedListener(RESOLVER, cluster(node("http-only", null, 7)));
                TestPeer peer = listener.connect()) {
            assertEquals(List.of(), list(peer.shakeHands(NO_PORT)));
        }
    }

    @Test
    @DisplayName("a node that can't be told ends the connection, and nothing of the list stays behind")
    void nodeWithoutName() throws Exception {
        try (SteppedListener listener = new SteppedListener(RESOLVER, cluster(node(null, 10_443, 0)));
                TestPeer peer = listener.connect()) {
            peer.shakeHands(NO_PORT).request("REQUEST_PEER_LIST").expectEnd();
            listener.awaitFault(ConnectionFault.Kind.INTERNAL);
            listener.awaitNothingHeld();
        }
    }

    @Test
    @DisplayName("while NiFi does not say which nodes there are, handshakes go on, and so do transactions")
    void hangingCoordinator() throws Exception {
        final NodeInformant hanging = () -> {
            awaitPermission();
            return informationOf(List.of(node("one", 10_443, 500)));
        };
        final List<TestPeer> waiting = new ArrayList<>();
        try (SteppedListener listener = new SteppedListener(RESOLVER, hanging)) {
            for (int i = 0; i < 2 * SteppedListener.BLOCKING_THREADS; i++) {
                final TestPeer peer = listener.connect().shakeHands(NO_PORT);
                peer.request("REQUEST_PEER_LIST").flush();
                waiting.add(peer);
                listener.awaitStep("PeerListStep");
            }
            try (TestPeer other = listener.connect().open(INPUT_PORT)) {
                other.pushPacket("a").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            }
            mayAnswer.countDown();
            for (final TestPeer peer : waiting) {
                assertEquals(1, peer.in().readInt());
                peer.close();
            }
            listener.assertNoFault();
        } finally {
            mayAnswer.countDown();
        }
    }

    @Test
    @DisplayName("a peer is not kept waiting for ever by NiFi")
    void coordinatorThatNeverAnswers() throws Exception {
        final NodeInformant hanging = () -> {
            awaitPermission();
            return informationOf(List.of());
        };
        try (SteppedListener listener = new SteppedListener(RESOLVER, hanging);
                TestPeer peer = listener.connect().shakeHands(NO_PORT)) {
            peer.request("REQUEST_PEER_LIST").flush();
            listener.awaitStep("PeerListStep");
            listener.checkDeadlinesAfter(Duration.ofSeconds(14));
            listener.assertNoFault();
            listener.checkDeadlinesAfter(Duration.ofSeconds(16));
            peer.expectEnd();
            listener.awaitFault(ConnectionFault.Kind.INTERNAL);
        } finally {
            mayAnswer.countDown();
        }
    }

    @Test
    @DisplayName("a failure of NiFi closes the connection, and the next peer asks again later")
    void failingCoordinator() throws Exception {
        final NodeInformant failing = () -> {
            throw new IllegalStateException("no coordinator");
        };
        try (SteppedListener listener = new SteppedListener(RESOLVER, failing);
                TestPeer peer = listener.connect().shakeHands(NO_PORT)) {
            peer.request("REQUEST_PEER_LIST").expectEnd();
            listener.awaitFault(ConnectionFault.Kind.INTERNAL);
        }
    }

    @Test
    @DisplayName("a flood of lists is answered without asking NiFi for each")
    void flood() throws Exception {
        final int lists = 2_000;
        final AtomicInteger asked = new AtomicInteger();
        final NodeInformant counting = () -> {
            asked.incrementAndGet();
            return informationOf(List.of(node("one", 10_443, 500)));
        };
        final long began = System.nanoTime();
        try (SteppedListener listener = new SteppedListener(RESOLVER, counting);
                TestPeer peer = listener.connect().shakeHands(NO_PORT)) {
            for (int i = 0; i < lists; i++) {
                assertEquals(1, list(peer).size());
            }
        }
        final long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds();
        assertTrue(asked.get() <= 1 + seconds, asked + " questions in " + seconds + " s");
    }

    @Test
    @DisplayName("the first list of an address is made by the name of its host, however late that is known")
    void routeByHostName() throws Exception {
        final CountDownLatch lookedUp = new CountDownLatch(1);
        final Function<InetAddress, String> slow = address -> {
            lookedUp.countDown();
            awaitPermission();
            return SteppedListener.HOST_NAME;
        };
        try (SteppedListener listener = new SteppedListener(slow, cluster(node("one", 10_443, 3)), ROUTE_BY_HOST_NAME);
                TestPeer peer = listener.connect().shakeHands(NO_PORT)) {
            peer.request("REQUEST_PEER_LIST").flush();
            listener.awaitStep("PeerListStep");
            lookedUp.await();
            try (TestPeer other = listener.connect().open(INPUT_PORT)) {
                other.pushPacket("a").confirm().expect(ResponseCode.TRANSACTION_FINISHED);
            }
            mayAnswer.countDown();
            assertEquals(List.of("proxy-of-one:443 true 3"), peer.peerList());
            listener.assertNoFault();
        } finally {
            mayAnswer.countDown();
        }
    }

    @Test
    @DisplayName("a peer whose host's name is not found out gets no list that may be for somebody else")
    void nameThatIsNeverKnown() throws Exception {
        final Function<InetAddress, String> hanging = address -> {
            awaitPermission();
            return "late.example";
        };
        try (SteppedListener listener =
                        new SteppedListener(hanging, cluster(node("one", 10_443, 3)), ROUTE_BY_HOST_NAME);
                TestPeer peer = listener.connect().shakeHands(NO_PORT)) {
            peer.request("REQUEST_PEER_LIST").flush();
            // What it waits for first, the nodes, has a shorter time.
            listener.awaitNodes();
            listener.awaitStep("PeerListStep");
            listener.checkDeadlinesAfter(Duration.ofSeconds(19));
            listener.assertNoFault();
            listener.checkDeadlinesAfter(Duration.ofSeconds(21));
            peer.expectEnd();
            listener.awaitFault(ConnectionFault.Kind.INTERNAL);
        } finally {
            mayAnswer.countDown();
        }
    }

    @Test
    @DisplayName("an address without a name is routed by its text, as by the stock listener")
    void addressWithoutName() throws Exception {
        try (SteppedListener listener = new SteppedListener(
                        InetAddress::getHostAddress, cluster(node("one", 10_443, 3)), ROUTE_BY_HOST_NAME);
                TestPeer peer = listener.connect().shakeHands(NO_PORT)) {
            assertEquals(List.of("one:10443 true 3"), list(peer));
        }
    }

    @Test
    @DisplayName("a rule that does not test the host's name waits for none")
    void routeByOther() throws Exception {
        final Function<InetAddress, String> hanging = address -> {
            awaitPermission();
            return "late.example";
        };
        try (SteppedListener listener = new SteppedListener(
                        hanging,
                        cluster(node("one", 10_443, 3)),
                        "nifi.remote.route.raw.proxy.hostname",
                        "proxy",
                        "nifi.remote.route.raw.proxy.port",
                        "${s2s.target.port:plus(1)}");
                TestPeer peer = listener.connect().shakeHands(NO_PORT)) {
            assertEquals(List.of("proxy:10444 false 3"), list(peer));
        } finally {
            mayAnswer.countDown();
        }
    }

    @Test
    @DisplayName("a rule that comes to nothing closes the connection of the peer that it is for")
    void brokenRule() throws Exception {
        try (SteppedListener listener = new SteppedListener(
                        RESOLVER,
                        cluster(node("one", 10_443, 3)),
                        "nifi.remote.route.raw.proxy.hostname",
                        "${unknown}",
                        "nifi.remote.route.raw.proxy.port",
                        "443");
                TestPeer peer = listener.connect().shakeHands(NO_PORT)) {
            peer.request("REQUEST_PEER_LIST").expectEnd();
            listener.awaitFault(ConnectionFault.Kind.INTERNAL);
        }
    }
}
