// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;

/**
 * Remote process groups: how one NiFi pushes to and pulls from another over RAW Site-to-Site.
 * For any thread; a call blocks until NiFi did what it asks.
 */
public record RemoteGroupClient(RestClient rest, FlowClient flow) {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    public RemoteGroupClient(final RestClient rest) {
        this(rest, new FlowClient(rest));
    }

    /** Makes a remote process group in the root group: its id. */
    public String create(final NifiNodeInfo target) {
        final ObjectNode entity = RestClient.object();
        entity.putObject("revision").put("version", 0);
        entity.putObject("component")
                .put("targetUris", target.api().replace("/nifi-api", "/nifi"))
                .put("transportProtocol", "RAW")
                .put("communicationsTimeout", "30 sec")
                .put("yieldDuration", "1 sec");
        return rest.post("/process-groups/" + flow.rootGroup() + "/remote-process-groups", entity)
                .required("id")
                .asText();
    }

    /** Waits until the group has learnt of the other NiFi's input or output port of a name. */
    public ConnectionEnd port(final String group, final ComponentKind kind, final String name) {
        return new ConnectionEnd(awaitPort(group, kind.listName(), name), group, "REMOTE_" + kind);
    }

    /** Lets what a component of the root group puts out be pushed. */
    public Component connect(final Component source, final ConnectionEnd destination, final BackPressure backPressure) {
        return flow.connect(flow.end(source), destination, backPressure);
    }

    /** Lets what is pulled go into a component of the root group. */
    public Component connect(final ConnectionEnd source, final Component destination, final BackPressure backPressure) {
        return flow.connect(source, flow.end(destination), backPressure);
    }

    /** Starts or stops the connected ports of a group. */
    public void setTransmitting(final String group, final boolean transmitting) {
        final ObjectNode change = RestClient.object().put("state", transmitting ? "TRANSMITTING" : "STOPPED");
        change.set("revision", get(group).required("revision"));
        rest.put("/remote-process-groups/" + group + "/run-status", change);
    }

    private String awaitPort(final String group, final String list, final String name) {
        Deadline.after(PATIENCE)
                .until(
                        () -> "The remote process group learns of port " + name + "; it says "
                                + get(group).path("component").path("authorizationIssues"),
                        () -> find(group, list, name).isPresent());
        return find(group, list, name).orElseThrow();
    }

    private Optional<String> find(final String group, final String list, final String name) {
        return RestClient.stream(get(group).at("/component/contents/" + list))
                .filter(port -> name.equals(port.required("name").asText()))
                .findFirst()
                .map(port -> port.required("id").asText());
    }

    private JsonNode get(final String group) {
        return rest.get("/remote-process-groups/" + group);
    }
}
