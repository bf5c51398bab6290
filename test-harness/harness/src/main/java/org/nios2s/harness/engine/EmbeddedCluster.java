// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.nio.file.Path;
import java.util.List;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.NifiOptions;

/**
 * A cluster that a scenario starts for itself with empty repositories; the sinks of all nodes keep packet ids meanwhile.
 * For one thread at a time.
 */
public final class EmbeddedCluster implements MeasuredNifi {

    private final NifiCluster cluster;
    private final Target target;

    private EmbeddedCluster(final NifiCluster cluster, final Target target) {
        this.cluster = cluster;
        this.target = target;
    }

    /**
     * Starts a cluster; what an earlier one left in the same home is deleted first: the cluster, which {@link #close}
     * stops, as the end of this JVM does.
     */
    public static EmbeddedCluster start(final NifiOptions options, final int nodes) {
        final NifiCluster cluster = NifiCluster.start(
                options.toBuilder().stopOnExit(true).fresh(true).build(), nodes);
        boolean usable = false;
        try {
            cluster.nodes().forEach(node -> EmbeddedNifi.checkListener(node, options.listener()));
            // The flow is the cluster's: what one node's sink is told holds for all.
            cluster.nodes().getFirst().keepPacketIds(EmbeddedNifi.PACKET_IDS);
            final List<Target> targets =
                    cluster.nodes().stream().map(EmbeddedCluster::targetOf).toList();
            final Target first = targets.getFirst();
            final Target all = new Target(
                    first.name() + ", %d nodes".formatted(nodes),
                    first.address(),
                    first.process(),
                    first.packetIds(),
                    first.tls(),
                    targets.subList(1, nodes));
            usable = true;
            return new EmbeddedCluster(cluster, all);
        } finally {
            if (!usable) {
                cluster.stop();
            }
        }
    }

    private static Target targetOf(final NifiInstance node) {
        return EmbeddedNifi.targetOf(node, Path.of(node.instance().ledger()).resolve(EmbeddedNifi.PACKET_IDS));
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public void close() {
        cluster.stop();
    }
}
