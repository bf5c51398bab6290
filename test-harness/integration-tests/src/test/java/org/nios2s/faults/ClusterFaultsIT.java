// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.integration.Peers;

/**
 * A cluster of two under load that loses a node, see {@link Ordeal}. Runs on the thread of the tests, with a cluster of its own.
 *
 * <p>Only with {@code -Pfaults}; {@code -Dfaults.secure=true} speaks TLS.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "faults", matches = "true")
class ClusterFaultsIT {

    private static final Path HOME = Path.of("target", "nifi-homes", "cluster-faults");
    private static final int NODES = 2;

    private static NifiCluster cluster;

    @BeforeAll
    static void start() {
        cluster = NifiCluster.start(Ordeal.options(HOME).secure(Boolean.getBoolean("faults.secure")), NODES);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void aNodeThatIsLostAndComesBackTakesNothingWithIt() throws Exception {
        final NifiNode lost = cluster.nodes().getLast();
        final Ordeal ordeal = new Ordeal(cluster.nodes());
        ordeal.endure("node-lost", load -> {
            lost.kill();
            load.awaitProgress();
            lost.startAgain();
            load.awaitProgress();
            // And it serves, too.
            Awaitility.await().atMost(Ordeal.PATIENCE).ignoreExceptions().until(() -> {
                try (FaultPeer peer = ordeal.connect(Peers.address(lost), lost.portId("input"), step -> {})) {
                    peer.push("node-lost-came-back", new byte[1]);
                    return true;
                }
            });
        });
    }
}
