// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * The root group of a NiFi: its ports, processors and connections, made and changed over the REST API.
 * For any thread; a call blocks until NiFi did what it asks.
 */
public record FlowClient(RestClient rest, String clientId) {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CONFLICT = 409;
    private static final String CONTROLLER_CONFIG = "/controller/config";

    FlowClient(final RestClient rest) {
        this(rest, UUID.randomUUID().toString());
    }

    public String rootGroup() {
        return root().required("id").asText();
    }

    /** How many nodes of the cluster are connected; fails when NiFi is not a node. */
    public int connectedNodes() {
        return (int) RestClient.stream(rest.get("/controller/cluster").requiredAt("/cluster/nodes"))
                .filter(node -> "CONNECTED".equals(node.required("status").asText()))
                .count();
    }

    /** Sets the size of the pool that runs timer-driven components. */
    public void setTimerDrivenThreads(final int threads) {
        final JsonNode config = rest.get(CONTROLLER_CONFIG);
        if (config.requiredAt("/component/maxTimerDrivenThreadCount").asInt() != threads) {
            change(CONTROLLER_CONFIG, config, RestClient.object().put("maxTimerDrivenThreadCount", threads));
        }
    }

    public Optional<Component> find(final ComponentKind kind, final String name) {
        return find(
                kind, entity -> name.equals(entity.requiredAt("/component/name").asText()));
    }

    /** The input or output port of a name, made when it is missing; not started. */
    public Component ensurePort(final ComponentKind kind, final String name, final int tasks) {
        final Component port = find(kind, name)
                .orElseGet(() -> create(kind, RestClient.object().put("name", name)));
        setConcurrentTasks(port, tasks);
        return port;
    }

    /** Makes a processor of the type that the only NAR that has it calls by that name. */
    public Component createProcessor(final String name, final String type) {
        return create(
                ComponentKind.PROCESSOR, RestClient.object().put("name", name).put("type", type));
    }

    /** Sets properties of a stopped processor; a null value takes a property away. */
    public void setProperties(final Component processor, final Map<String, String> properties) {
        final ObjectNode changed = RestClient.object();
        final ObjectNode values = changed.putObject("config").putObject("properties");
        properties.forEach(values::put);
        change(processor.path(), describe(processor), changed);
    }

    /** Sets how many tasks of a component may run at once; a running component is stopped and started for it. */
    public void setConcurrentTasks(final Component component, final int tasks) {
        final boolean processor = component.kind() == ComponentKind.PROCESSOR;
        final String owner = processor ? "/component/config/" : "/component/";
        final JsonNode current = describe(component).requiredAt(owner + "concurrentlySchedulableTaskCount");
        if (current.asInt() == tasks) {
            return;
        }
        final boolean running = isRunning(component);
        stop(component);
        final ObjectNode changed = RestClient.object();
        (processor ? changed.putObject("config") : changed).put("concurrentlySchedulableTaskCount", tasks);
        change(component.path(), describe(component), changed);
        if (running) {
            start(component);
        }
    }

    /** Starts a component and waits until it runs. */
    public void start(final Component component) {
        Deadline.after(PATIENCE).until(() -> component + " is valid and starts", () -> tryToRun(component));
    }

    /** Has a component triggered once in such a time; it is stopped. */
    public void setSchedulingPeriod(final Component processor, final Duration period) {
        final ObjectNode changed = RestClient.object();
        changed.putObject("config").put("schedulingPeriod", period.toMillis() + " ms");
        change(processor.path(), describe(processor), changed);
    }

    /** Tells a component to stop, and does not wait for its tasks. */
    public void beginStop(final Component component) {
        setState(component, "STOPPED");
    }

    /** Stops a component and waits until none of its tasks runs. */
    public void stop(final Component component) {
        beginStop(component);
        Deadline.after(PATIENCE).until(() -> component + " has stopped", () -> {
            final JsonNode entity = describe(component);
            return !"RUNNING".equals(state(entity))
                    && entity.at("/status/aggregateSnapshot/activeThreadCount").asInt() == 0;
        });
    }

    public void disable(final Component component) {
        setState(component, "DISABLED");
    }

    public boolean isRunning(final Component component) {
        return "RUNNING".equals(state(describe(component)));
    }

    /** Deletes a stopped component or an empty connection. */
    public void delete(final Component component) {
        final JsonNode version = describe(component).requiredAt("/revision/version");
        rest.delete(component.path() + "?version=" + version.asLong() + "&clientId=" + clientId);
    }

    public Optional<Component> findConnection(final Component source, final Component destination) {
        return find(
                ComponentKind.CONNECTION,
                entity -> source.id().equals(entity.required("sourceId").asText())
                        && destination
                                .id()
                                .equals(entity.required("destinationId").asText()));
    }

    /** Connects two components of the root group, which are not connected yet; a processor by {@code success}. */
    public Component connect(final Component source, final Component destination, final BackPressure backPressure) {
        return connect(end(source), end(destination), backPressure);
    }

    Component connect(final ConnectionEnd source, final ConnectionEnd destination, final BackPressure backPressure) {
        final ObjectNode connection = described(backPressure);
        connection.putPOJO("source", source).putPOJO("destination", destination);
        if (ComponentKind.PROCESSOR.name().equals(source.type())) {
            connection.putArray("selectedRelationships").add("success");
        }
        return create(ComponentKind.CONNECTION, connection);
    }

    /**
     * How many FlowFiles of the root group, on all nodes, wait for a component or are in its session. Those before an output
     * port do not count: they wait for a peer that may never fetch them.
     */
    public long queuedFlowFiles() {
        return RestClient.stream(root().required("flow").required(ComponentKind.CONNECTION.listName()))
                .filter(connection -> !ComponentKind.OUTPUT_PORT
                        .name()
                        .equals(connection.required("destinationType").asText()))
                .mapToLong(FlowClient::queued)
                .sum();
    }

    /** How many FlowFiles a connection holds. */
    public long queuedFlowFiles(final Component connection) {
        return queued(describe(connection));
    }

    /** Drops what a connection holds, but for what a session has taken out of it. */
    public void empty(final Component connection) {
        rest.finish("dropRequest", "/flowfile-queues/" + connection.id() + "/drop-requests");
    }

    private static long queued(final JsonNode connection) {
        return connection
                .requiredAt("/status/aggregateSnapshot/flowFilesQueued")
                .asLong();
    }

    public void setBackPressure(final Component connection, final BackPressure backPressure) {
        change(connection.path(), describe(connection), described(backPressure));
    }

    /** Everything NiFi says about a component. */
    public JsonNode describe(final Component component) {
        return rest.get(component.path());
    }

    /** A component of the root group as the end of a connection. */
    ConnectionEnd end(final Component component) {
        return new ConnectionEnd(component.id(), rootGroup(), component.kind().name());
    }

    private Optional<Component> find(final ComponentKind kind, final Predicate<JsonNode> wanted) {
        return RestClient.stream(root().required("flow").required(kind.listName()))
                .filter(wanted)
                .findFirst()
                .map(entity -> new Component(kind, entity.required("id").asText()));
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
        final JsonNode entity = describe(component);
        if (!state.equals(state(entity))) {
            final ObjectNode change = RestClient.object().put("state", state);
            change.set("revision", revision(entity));
            rest.put(component.path() + "/run-status", change);
        }
    }

    private Component create(final ComponentKind kind, final ObjectNode component) {
        final ObjectNode entity = RestClient.object();
        entity.putObject("revision").put("version", 0).put("clientId", clientId);
        entity.set("component", component);
        final JsonNode created = rest.post("/process-groups/" + rootGroup() + "/" + kind.path(), entity);
        return new Component(kind, created.required("id").asText());
    }

    /** Changes of the component in an entity what is named, and nothing else. */
    private void change(final String path, final JsonNode entity, final ObjectNode component) {
        if (entity.has("id")) {
            component.set("id", entity.required("id"));
        }
        final ObjectNode change = RestClient.object();
        change.set("revision", revision(entity));
        change.set("component", component);
        rest.put(path, change);
    }

    private static ObjectNode described(final BackPressure backPressure) {
        return RestClient.object()
                .put("backPressureObjectThreshold", backPressure.flowFiles())
                .put("backPressureDataSizeThreshold", backPressure.bytes() + " B");
    }

    private JsonNode root() {
        return rest.get("/flow/process-groups/root").required("processGroupFlow");
    }

    private static String state(final JsonNode entity) {
        return entity.requiredAt("/component/state").asText();
    }

    private ObjectNode revision(final JsonNode entity) {
        return RestClient.object()
                .put("version", entity.requiredAt("/revision/version").asLong())
                .put("clientId", clientId);
    }
}
