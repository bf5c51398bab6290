// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/**
 * The queues of a NiFi's connections, read over the REST API.
 * For any thread; a call blocks until NiFi has answered.
 */
public final class QueueClient {

    private final RestClient rest;

    /** The client of one NiFi. */
    public QueueClient(final RestClient rest) {
        this.rest = rest;
    }

    /** How much waits in a connection's queue. */
    public QueueSize size(final Component connection) {
        final JsonNode snapshot = rest.get("/flow/connections/" + connection.id() + "/status")
                .required("connectionStatus")
                .required("aggregateSnapshot");
        return new QueueSize(
                snapshot.required("flowFilesQueued").asLong(),
                snapshot.required("bytesQueued").asLong());
    }

    /** The first hundred FlowFiles of a connection's queue, in its order. */
    public List<QueuedFlowFile> list(final Component connection) {
        final JsonNode listing = rest.finish("listingRequest", path(connection) + "/listing-requests");
        return StreamSupport.stream(listing.path("flowFileSummaries").spliterator(), false)
                .map(flowFile -> new QueuedFlowFile(
                        flowFile.required("uuid").asText(),
                        flowFile.required("filename").asText(),
                        flowFile.required("size").asLong(),
                        flowFile.path("clusterNodeId").textValue()))
                .toList();
    }

    /** The attributes of a FlowFile that waits in a connection's queue. */
    public Map<String, String> attributes(final Component connection, final QueuedFlowFile flowFile) {
        final Map<String, String> attributes = new LinkedHashMap<>();
        rest.get(path(connection) + "/flowfiles/" + flowFile.uuid() + node(flowFile))
                .required("flowFile")
                .required("attributes")
                .properties()
                .forEach(attribute ->
                        attributes.put(attribute.getKey(), attribute.getValue().asText()));
        return attributes;
    }

    /** The content of a FlowFile that waits in a connection's queue. */
    public byte[] content(final Component connection, final QueuedFlowFile flowFile) {
        return rest.getBytes(path(connection) + "/flowfiles/" + flowFile.uuid() + "/content" + node(flowFile));
    }

    private static String path(final Component connection) {
        return "/flowfile-queues/" + connection.id();
    }

    private static String node(final QueuedFlowFile flowFile) {
        return flowFile.clusterNodeId() == null ? "" : "?clusterNodeId=" + flowFile.clusterNodeId();
    }
}
