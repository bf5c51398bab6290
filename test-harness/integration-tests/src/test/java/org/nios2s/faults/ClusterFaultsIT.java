// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.NifiOptions;

/**
 * A cluster of two under load that loses a node, see {@link Ordeal}. Runs on the thread of the tests, with a cluster of its own.
 *
 * <p>Only with {@code -Pfaults}; {@code -Dfaults.secure=true} speaks TLS.
 */
@EnabledIfSystemProperty(named = "faults", matches = "true")
class ClusterFaultsIT {

    private static final Path HOME = Path.of("target", "nifi-homes", "cluster-faults");
    private static final int NODES = 2;

    private static NifiCluster cluster;

    @BeforeAll
    static void start() {
        cluster = NifiCluster.start(
                new NifiOptions()
                        .home(HOME)
                        .listener(Listener.NIO)
                        .heap("1g")
                        .secure(Boolean.getBoolean("faults.secure"))
                        .fresh(true)
                        .stopOnExit(true),
                NODES);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void aNodeThatIsLostAndComesBackTakesNothingWithIt() throws Exception {
        final NifiInstance lost = cluster.nodes().getLast();
        new Ordeal(cluster.nodes()).endure("node-lost", load -> {
            lost.kill();
            load.awaitProgress();
            lost.startAgain();
            load.awaitProgress();
        });
    }
}
