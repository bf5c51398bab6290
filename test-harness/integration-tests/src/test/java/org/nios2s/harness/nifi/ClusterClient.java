// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * The membership of a cluster's nodes, read and changed over the REST API of one of them.
 * For any thread; a call blocks until NiFi did what it asks.
 */
public final class ClusterClient {

    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final String NODES = "/controller/cluster";

    private final RestClient rest;

    /** What an administrator makes of a node: what NiFi is asked for, and the state in which that ends. */
    public enum Change {
        DISCONNECT("DISCONNECTING", "DISCONNECTED"),
        /** Of a node that is disconnected: its ports and processors stop, its queues go to the other nodes. */
        OFFLOAD("OFFLOADING", "OFFLOADED"),
        CONNECT("CONNECTING", "CONNECTED");

        private final String request;
        private final String result;

        Change(final String request, final String result) {
            this.request = request;
            this.result = result;
        }
    }

    /** Asks that node. */
    public ClusterClient(final NifiNode asked) {
        this.rest = asked.rest();
    }

    /** Whether a node is the cluster coordinator. */
    public boolean isCoordinator(final NifiNode node) {
        return find(node)
                .map(found -> RestClient.stream(found.required("roles"))
                        .anyMatch(role -> "Cluster Coordinator".equals(role.asText())))
                .orElse(false);
    }

    /** Changes the state of a node, and waits until it is so. */
    public void change(final NifiNode node, final Change change) {
        final String id = find(node).orElseThrow().required("nodeId").asText();
        final ObjectNode entity = RestClient.object();
        entity.putObject("node").put("nodeId", id).put("status", change.request);
        rest.put(NODES + "/nodes/" + id, entity);
        Deadline.after(PATIENCE)
                .until(() -> node.info().api() + " is " + change.result, () -> change.result.equals(state(node)));
    }

    private String state(final NifiNode node) {
        return find(node).map(found -> found.required("status").asText()).orElse("");
    }

    private Optional<JsonNode> find(final NifiNode node) {
        final int port = URI.create(node.info().api()).getPort();
        return RestClient.stream(rest.get(NODES).requiredAt("/cluster/nodes"))
                .filter(found -> found.required("apiPort").asInt() == port)
                .findFirst();
    }
}
