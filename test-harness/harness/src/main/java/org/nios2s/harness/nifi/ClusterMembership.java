/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.harness.nifi;

/**
 * What makes a NiFi one node of a cluster on loopback.
 * Immutable, for any thread.
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
