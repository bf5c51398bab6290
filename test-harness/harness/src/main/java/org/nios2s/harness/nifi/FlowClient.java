// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The root group of a NiFi: its ports, processors and connections, made and changed over the REST API.
 * For any thread; a call blocks until NiFi did what it asks.
 */
public final class FlowClient {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CONFLICT = 409;

    /** The relationship of a processor by which its FlowFiles leave it. */
    private static final String SUCCESS = "success";

    private final RestClient rest;
    private final String clientId = UUID.randomUUID().toString();

    FlowClient(final RestClient rest) {
        this.rest = rest;
    }

    /** The id of the root group. */
    public String rootGroup() {
        return root().required("id").asText();
    }

    /** How many nodes of the cluster are connected; fails when NiFi is not a node. */
    public int connectedNodes() {
        int connected = 0;
        for (final JsonNode node : rest.get("/controller/cluster").requiredAt("/cluster/nodes")) {
            if ("CONNECTED".equals(node.required("status").asText())) {
                connected++;
            }
        }
        return connected;
    }

    /** Sets the size of the pool that runs timer-driven components. */
    public void setTimerDrivenThreads(final int threads) {
        final ObjectNode config = (ObjectNode) rest.get("/controller/config");
        if (config.requiredAt("/component/maxTimerDrivenThreadCount").asInt() != threads) {
            component(config).put("maxTimerDrivenThreadCount", threads);
            rest.put("/controller/config", slim(config));
        }
    }

    /** The component of a kind and name in the root group. */
    public Optional<Component> find(final ComponentKind kind, final String name) {
        for (final JsonNode entity : root().required("flow").required(kind.listName())) {
            if (name.equals(entity.requiredAt("/component/name").asText())) {
                return Optional.of(new Component(kind, entity.required("id").asText()));
            }
        }
        return Optional.empty();
    }

    /** The input or output port of a name, made when it is missing; not started. */
    public Component ensurePort(final ComponentKind kind, final String name, final int tasks) {
        final Component port = find(kind, name).orElseGet(() -> create(kind, object("name", name)));
        setConcurrentTasks(port, tasks);
        return port;
    }

    /** Makes a processor of the type that the only NAR that has it calls by that name. */
    public Component createProcessor(final String name, final String type) {
        return create(ComponentKind.PROCESSOR, object("name", name).put("type", type));
    }

    /** Sets properties of a stopped processor; a null value takes a property away. */
    public void setProperties(final Component processor, final Map<String, String> properties) {
        final ObjectNode entity = entity(processor);
        final ObjectNode config = component(entity).putObject("config");
        final ObjectNode values = config.putObject("properties");
        properties.forEach(values::put);
        rest.put(processor.path(), slim(entity));
    }

    /** Sets how many tasks of a component may run at once; a running component is stopped and started for it. */
    public void setConcurrentTasks(final Component component, final int tasks) {
        final ObjectNode entity = entity(component);
        final boolean processor = component.kind() == ComponentKind.PROCESSOR;
        final String owner = processor ? "/component/config/" : "/component/";
        if (entity.requiredAt(owner + "concurrentlySchedulableTaskCount").asInt() == tasks) {
            return;
        }
        final boolean running = isRunning(component);
        stop(component);
        final ObjectNode stopped = entity(component);
        final ObjectNode changed = component(stopped);
        (processor ? changed.putObject("config") : changed).put("concurrentlySchedulableTaskCount", tasks);
        rest.put(component.path(), slim(stopped));
        if (running) {
            start(component);
        }
    }

    /** Starts a component and waits until it runs. */
    public void start(final Component component) {
        final Deadline deadline = Deadline.after(PATIENCE);
        deadline.until(component + " is valid and starts", () -> tryToRun(component));
    }

    /** Stops a component and waits until none of its tasks runs. */
    public void stop(final Component component) {
        setState(component, "STOPPED");
        Deadline.after(PATIENCE).until(component + " has stopped", () -> {
            final JsonNode entity = entity(component);
            return !"RUNNING".equals(state(entity))
                    && entity.at("/status/aggregateSnapshot/activeThreadCount").asInt() == 0;
        });
    }

    /** Disables a stopped component. */
    public void disable(final Component component) {
        setState(component, "DISABLED");
    }

    /** Whether a component is started. */
    public boolean isRunning(final Component component) {
        return "RUNNING".equals(state(entity(component)));
    }

    /** Deletes a stopped component or an empty connection. */
    public void delete(final Component component) {
        final JsonNode revision = entity(component).required("revision");
        rest.delete(
                component.path() + "?version=" + revision.required("version").asLong() + "&clientId=" + clientId);
    }

    /** The connection between two components, if there is one. */
    public Optional<Component> findConnection(final Component source, final Component destination) {
        for (final JsonNode entity : root().required("flow").required(ComponentKind.CONNECTION.listName())) {
            if (source.id().equals(entity.required("sourceId").asText())
                    && destination.id().equals(entity.required("destinationId").asText())) {
                return Optional.of(new Component(
                        ComponentKind.CONNECTION, entity.required("id").asText()));
            }
        }
        return Optional.empty();
    }

    /** Connects two components of the root group, which are not connected yet; a processor by {@code success}. */
    public Component connect(final Component source, final Component destination, final BackPressure backPressure) {
        return connect(end(source), end(destination), backPressure);
    }

    /** Connects two ends, each described by {@code id}, {@code groupId} and {@code type}. */
    Component connect(final ObjectNode source, final ObjectNode destination, final BackPressure backPressure) {
        final ObjectNode connection = RestClient.object();
        connection.set("source", source);
        connection.set("destination", destination);
        if (ComponentKind.PROCESSOR
                .connectableType()
                .equals(source.required("type").asText())) {
            connection.putArray("selectedRelationships").add(SUCCESS);
        }
        describe(backPressure, connection);
        return create(ComponentKind.CONNECTION, connection);
    }

    /** Changes when a connection makes its source wait. */
    public void setBackPressure(final Component connection, final BackPressure backPressure) {
        final ObjectNode entity = entity(connection);
        describe(backPressure, component(entity));
        rest.put(connection.path(), slim(entity));
    }

    /** Everything NiFi says about a component. */
    public JsonNode describe(final Component component) {
        return entity(component);
    }

    private boolean tryToRun(final Component component) {
        try {
            if (!isRunning(component)) {
                setState(component, "RUNNING");
            }
            return isRunning(component);
        } catch (final RestException e) {
            if (e.status() != CONFLICT) {
                throw e;
            }
            return false;
        }
    }

    private void setState(final Component component, final String state) {
        final JsonNode entity = entity(component);
        if (state.equals(state(entity))) {
            return;
        }
        final ObjectNode change = RestClient.object().put("state", state);
        change.set("revision", revision(entity));
        rest.put(component.path() + "/run-status", change);
    }

    private Component create(final ComponentKind kind, final ObjectNode component) {
        final ObjectNode entity = RestClient.object();
        entity.putObject("revision").put("version", 0).put("clientId", clientId);
        entity.set("component", component);
        final JsonNode created = rest.post("/process-groups/" + rootGroup() + "/" + kind.path(), entity);
        return new Component(kind, created.required("id").asText());
    }

    /** A component of the root group as the end of a connection. */
    ObjectNode end(final Component component) {
        return object("id", component.id())
                .put("groupId", rootGroup())
                .put("type", component.kind().connectableType());
    }

    private static void describe(final BackPressure backPressure, final ObjectNode connection) {
        connection.put("backPressureObjectThreshold", backPressure.flowFiles());
        connection.put("backPressureDataSizeThreshold", backPressure.bytes() + " B");
    }

    private JsonNode root() {
        return rest.get("/flow/process-groups/root").required("processGroupFlow");
    }

    private ObjectNode entity(final Component component) {
        return (ObjectNode) rest.get(component.path());
    }

    private static String state(final JsonNode entity) {
        return entity.requiredAt("/component/state").asText();
    }

    /** Replaces the component in an entity by one that names only the id: what is then put in is what is changed. */
    private static ObjectNode component(final ObjectNode entity) {
        final ObjectNode component = RestClient.object();
        final JsonNode id = entity.path("id");
        if (!id.isMissingNode()) {
            component.set("id", id);
        }
        entity.set("component", component);
        return component;
    }

    private ObjectNode slim(final ObjectNode entity) {
        final ObjectNode change = RestClient.object();
        change.set("revision", revision(entity));
        change.set("component", entity.required("component"));
        return change;
    }

    private ObjectNode revision(final JsonNode entity) {
        return RestClient.object()
                .put("version", entity.requiredAt("/revision/version").asLong())
                .put("clientId", clientId);
    }

    private static ObjectNode object(final String key, final String value) {
        return RestClient.object().put(key, value);
    }
}
