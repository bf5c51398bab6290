// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.nios2s.harness.nifi.security.SecurityFiles;

/**
 * A NiFi with the harness's flow in it, or several that are one cluster on loopback, with ZooKeeper embedded in the first.
 * For one thread at a time; starting and stopping block it for seconds.
 *
 * @param nodes the first one runs ZooKeeper
 */
public record NifiCluster(List<NifiNode> nodes) implements AutoCloseable {

    private static final String NODE_PREFIX = "node-";

    /** Starts a cluster, or a single NiFi, and waits until all nodes are connected and its flow runs. */
    public static NifiCluster start(final NifiOptions options, final int size) {
        final NifiHome home = new NifiHome(options.home);
        home.prepare(options.fresh);
        final SecurityFiles security =
                options.secure ? SecurityFiles.ensure(home.directory().resolve("security")) : null;
        final int zookeeperPort = FreePorts.any();
        final List<NifiNode> nodes = new ArrayList<>();
        try {
            for (int number = 1; number <= size; number++) {
                final boolean first = number == 1;
                NifiHome own = home;
                ClusterMembership membership = null;
                if (size > 1) {
                    own = new NifiHome(home.directory().resolve(NODE_PREFIX + number));
                    own.prepare(options.fresh);
                    membership = new ClusterMembership(size, FreePorts.any(), FreePorts.any(), zookeeperPort, first);
                }
                final NifiNode node = new NifiNode(own, options, security, membership);
                nodes.add(node);
                node.launch(
                        first ? options.httpPort : NifiOptions.ANY_PORT,
                        first ? options.s2sPort : NifiOptions.ANY_PORT);
            }
            nodes.forEach(NifiNode::awaitUp);
            nodes.forEach(NifiNode::awaitConnected);
            final Map<String, String> ports = nodes.getFirst().ensureFlow();
            nodes.forEach(node -> node.setPorts(ports));
        } catch (final RuntimeException | Error e) {
            nodes.forEach(NifiNode::kill);
            throw e;
        }
        return new NifiCluster(List.copyOf(nodes));
    }

    /** The nodes that run in a cluster's home, or the one NiFi that runs in it, or none. */
    public static List<NifiNode> attach(final Path directory) {
        final List<NifiNode> found = new ArrayList<>();
        NifiNode.attach(directory).ifPresent(found::add);
        for (int number = 1; Files.isDirectory(directory.resolve(NODE_PREFIX + number)); number++) {
            NifiNode.attach(directory.resolve(NODE_PREFIX + number)).ifPresent(found::add);
        }
        return found;
    }

    /** One JSON line: of a single NiFi its own; of several that of the first, with all of them as {@code nodes}. */
    public static String describe(final List<NifiNode> running) {
        final ObjectNode line = RestClient.JSON.valueToTree(running.getFirst().info());
        if (running.size() > 1) {
            final ArrayNode nodes = line.putArray("nodes");
            running.forEach(node -> nodes.addPOJO(node.info()));
        }
        return line.toString();
    }

    /** Stops running NiFis, the first one last. */
    public static void stop(final List<NifiNode> running) {
        running.reversed().forEach(NifiNode::stop);
    }

    @Override
    public void close() {
        stop(nodes);
    }
}
