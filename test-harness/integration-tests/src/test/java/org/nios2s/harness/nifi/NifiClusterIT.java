// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A cluster of two of the harness's NiFis with the NIO listener.
 * One cluster serves all tests, which run one after the other on one thread.
 */
class NifiClusterIT {

    private static final Path HOME = Path.of("target", "nifi-homes", "cluster");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int NODES = 2;
    private static final int PACKETS = 5;
    private static final int MOST_TRANSACTIONS = 200;

    private static NifiCluster cluster;

    @BeforeAll
    static void start() {
        cluster = NifiCluster.start(
                new NifiOptions()
                        .home(HOME)
                        .listener(Listener.NIO)
                        .heap("1g")
                        .fresh(true)
                        .stopOnExit(true),
                NODES);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
            assertTrue(NifiCluster.attach(HOME).isEmpty());
        }
    }

    @Test
    void theNioListenerServesOnEveryNode() {
        for (final NifiInstance node : cluster.nodes()) {
            assertEquals(
                    1,
                    node.log().linesWith("The NIO Site-to-Site listener serves").size());
        }
    }

    @Test
    void aClientThatKnowsOneNodeFindsBothAndDataArrivesOnBoth() throws IOException {
        int acknowledged = 0;
        final NifiInstance first = cluster.nodes().getFirst();
        final NifiInstance second = cluster.nodes().getLast();

        try (Peer peer = Peer.of(first, "input")) {
            for (int transaction = 0; transaction < MOST_TRANSACTIONS && !bothHaveData(first, second); transaction++) {
                peer.push("clustered-" + transaction, PACKETS);
                acknowledged += PACKETS;
            }
        }

        final int expected = acknowledged;
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> first.ledger().count() + second.ledger().count() == expected);
        assertTrue(bothHaveData(first, second));
    }

    @Test
    void aNodeThatIsRestartedJoinsAgain() {
        final NifiInstance second = cluster.nodes().getLast();

        second.stop();
        second.startAgain();

        assertEquals(NODES, second.flow().connectedNodes());
    }

    private static boolean bothHaveData(final NifiInstance first, final NifiInstance second) {
        return first.ledger().count() > 0 && second.ledger().count() > 0;
    }
}
