// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

/**
 * The membership of a NiFi in a cluster on loopback. Immutable; any thread.
 *
 * @param nodes number of nodes that elect the flow
 * @param protocolPort of the cluster protocol of this node
 * @param loadBalancePort of load-balanced connections of this node
 * @param zookeeperPort where ZooKeeper listens for all nodes
 * @param runsZookeeper whether it is embedded in this node
 */
record ClusterMembership(int nodes, int protocolPort, int loadBalancePort, int zookeeperPort, boolean runsZookeeper) {

    String zookeeper() {
        return NifiConfiguration.LOOPBACK + ":" + zookeeperPort;
    }
}
