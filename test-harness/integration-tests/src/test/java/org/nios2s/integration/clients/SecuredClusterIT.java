// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.integration.OwnNifi;
import org.nios2s.integration.Peers;
import org.nios2s.integration.SharedNifi;
import org.nios2s.peers.TestPeer;

/**
 * A secured cluster of two whose nodes have our listener.
 * For one thread.
 */
@Tag("full")
class SecuredClusterIT {

    private static final Path HOME = SharedNifi.HOMES.resolve("clients-secured-cluster");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String CLIENT = "2.3.0";
    private static final int NODES = 2;
    private static final int MAX_TRANSACTIONS = 200;

    private static NifiCluster cluster;

    @BeforeAll
    static void start() {
        cluster = NifiCluster.start(OwnNifi.options(HOME).secure(true), NODES);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void aClientThatIsToldOneNodeFindsBothAndDataArrivesOnBoth() throws Exception {
        final NifiNodeInfo first = cluster.nodes().getFirst().info();
        int pushed = 0;

        try (ClientVersion client = ClientVersion.load(CLIENT)) {
            while (pushed < MAX_TRANSACTIONS && !everyNodeHasData()) {
                client.push(
                        PortAccess.settings(first, "input", false),
                        List.of(Map.of("packet.id", "clustered-" + pushed)),
                        List.of(new byte[1]));
                pushed++;
            }
        }

        final int expected = pushed;
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertEquals(
                        expected,
                        cluster.nodes().stream()
                                .mapToLong(node -> node.ledger().count())
                                .sum()));
        assertTrue(everyNodeHasData());
    }

    @Test
    void eachNodeTellsOfBothWhereTheyAreAndWhatTheyHaveQueued() throws Exception {
        final Set<String> expected = new TreeSet<>();
        for (final NifiNode node : cluster.nodes()) {
            expected.add(node.info().s2sHost() + ":" + node.info().s2sPort() + " true 0");
        }
        for (final NifiNode node : cluster.nodes()) {
            final TlsClients clients = new TlsClients(node.security());
            try (TestPeer peer = Peers.connect(clients.authorized(), node.info(), "TLSv1.3")) {
                peer.shakeHands(node.portId("input")).request("REQUEST_PEER_LIST");
                assertEquals(expected, new TreeSet<>(peer.peerList()));
            }
        }
    }

    private static boolean everyNodeHasData() {
        return cluster.nodes().stream().map(NifiNode::ledger).allMatch(ledger -> ledger.count() > 0);
    }
}
