// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.RestClient;
import org.nios2s.harness.nifi.RestException;
import org.nios2s.harness.nifi.security.AccessPolicies;
import org.nios2s.harness.nifi.security.AccessPolicies.Action;
import org.nios2s.harness.nifi.security.Identity;

/**
 * An input port that leads to an output port, both for one conversation alone: it may change them as it likes, and what
 * NiFi tells about them is about that conversation.
 * For the one thread on which its conversation is held.
 */
final class OwnPorts {

    /** What goes in here. */
    static final String IN = "own-in";
    /** Comes out here. */
    static final String OUT = "own-out";

    /** A change was made. */
    static final String DONE = "done";

    private static final String REFUSED = "refused";

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int NOT_FOUND = 404;
    /** What NiFi refuses for so long, it refuses because of the peer. */
    private static final Duration INSISTENCE = Duration.ofSeconds(1);

    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern ADDRESS = Pattern.compile("(localhost|127\\.0\\.0\\.1):\\d+");
    private static final List<String> STATISTICS =
            List.of("flowFilesIn", "bytesIn", "flowFilesOut", "bytesOut", "transmitting", "runStatus");

    private final NifiNode nifi;
    private final FlowClient flow;
    private final Map<String, Component> ports = new TreeMap<>();
    private final Component connection;

    /**
     * Makes and starts them.
     *
     * @param fullAfter FlowFiles with which the connection between them is full; 0 for never
     * @param prioritizers of the connection, by the last word of their class's name
     */
    OwnPorts(final NifiNode nifi, final String name, final int fullAfter, final List<String> prioritizers) {
        this.nifi = nifi;
        flow = nifi.flow();
        ports.put(IN, flow.ensurePort(ComponentKind.INPUT_PORT, name + "-in", 1));
        ports.put(OUT, flow.ensurePort(ComponentKind.OUTPUT_PORT, name + "-out", 1));
        connection = flow.connect(ports.get(IN), ports.get(OUT), new BackPressure(fullAfter, 0));
        if (!prioritizers.isEmpty()) {
            prioritize(prioritizers);
        }
        for (final Component port : ports.values()) {
            if (nifi.info().security() != null) {
                nifi.policies()
                        .grant(Identity.CLIENT.distinguishedName(), Action.WRITE, AccessPolicies.transferTo(port));
            }
            flow.start(port);
        }
    }

    private void prioritize(final List<String> prioritizers) {
        final JsonNode entity = nifi.rest().get(path(connection));
        final ObjectNode change = RestClient.object();
        change.set("revision", entity.required("revision"));
        final ObjectNode component = change.putObject("component").put("id", connection.id());
        prioritizers.forEach(component.putArray("prioritizers")::add);
        nifi.rest().put(path(connection), change);
    }

    /** The id of one of them. */
    String id(final String name) {
        return ports.get(name).id();
    }

    /**
     * Changes one of them, as an administrator would: stop, start, disable, delete, disconnect, empty.
     *
     * @param isDoneInTheEnd whether it is done, though NiFi may refuse it at first: one of the port's tasks may just be about to end
     * @return done, or refused if NiFi refuses it for a while
     */
    String change(final String verb, final String name, final boolean isDoneInTheEnd) {
        final AtomicBoolean done = new AtomicBoolean();
        try {
            Awaitility.await()
                    .atMost(isDoneInTheEnd ? PATIENCE : INSISTENCE)
                    .pollInSameThread()
                    .ignoreException(RestException.class)
                    .until(() -> {
                        doChange(verb, ports.get(name));
                        done.set(true);
                        return true;
                    });
        } catch (final ConditionTimeoutException e) {
            // On a busy machine it may be done after the time.
            return done.get() ? DONE : REFUSED;
        }
        return DONE;
    }

    private void doChange(final String verb, final Component port) {
        switch (verb) {
            case "stop" -> setState(port, "STOPPED");
            case "start" -> flow.start(port);
            case "disable" -> setState(port, "DISABLED");
            case "delete" -> flow.delete(port);
            case "disconnect" -> flow.delete(connection);
            case "empty" -> nifi.flow().empty(connection);
            default -> throw new IllegalArgumentException("Nothing is called " + verb);
        }
    }

    /** Changes a state without waiting for the port's tasks: a peer may hold them. */
    private void setState(final Component port, final String state) {
        final ObjectNode change = RestClient.object().put("state", state);
        change.set("revision", nifi.rest().get(path(port)).required("revision"));
        nifi.rest().put(path(port) + "/run-status", change);
    }

    /** Waits until NiFi shows that a port transmits: it has taken the request, to which nobody has heard an answer. */
    void awaitTransmitting(final String name) {
        Awaitility.await().atMost(PATIENCE).until(() -> isTransmitting(name));
    }

    /** Waits until NiFi shows that a port does not transmit: what was rolled back is in its queue again. */
    void awaitIdle(final String name) {
        Awaitility.await().atMost(PATIENCE).until(() -> !isTransmitting(name));
    }

    private boolean isTransmitting(final String name) {
        return flow.describe(ports.get(name)).requiredAt("/status/transmitting").asBoolean();
    }

    /** Stops the output port: what is between them stays there, and their connection can be changed. */
    OwnPorts withoutWayOut() {
        flow.stop(ports.get(OUT));
        return this;
    }

    /** The connection between them. */
    Component queue() {
        return connection;
    }

    /** What NiFi tells about them: what passed through, and bulletins, without what differs from run to run. */
    List<String> told() {
        final List<String> told = new ArrayList<>();
        ports.forEach((name, port) -> {
            try {
                final JsonNode status = nifi.rest()
                        .get("/flow" + path(port) + "/status")
                        .required("portStatus")
                        .required("aggregateSnapshot");
                final StringBuilder line = new StringBuilder("statistics of " + name + ":");
                for (final String field : STATISTICS) {
                    line.append(' ')
                            .append(field)
                            .append('=')
                            .append(status.path(field).asText());
                }
                told.add(line.toString());
            } catch (final RestException e) {
                told.add("statistics of " + name + ": " + (e.status() == NOT_FOUND ? "gone" : e.getMessage()));
            }
            for (final JsonNode bulletin : nifi.rest()
                    .get("/flow/bulletin-board?sourceId=" + port.id())
                    .required("bulletinBoard")
                    .required("bulletins")) {
                final JsonNode text = bulletin.required("bulletin");
                told.add("bulletin of " + name + ": " + text.required("level").asText() + " "
                        + stable(text.required("message").asText()));
            }
        });
        return told;
    }

    private static String stable(final String message) {
        return ADDRESS.matcher(ID.matcher(message).replaceAll("*")).replaceAll("$1:*");
    }

    /** Whether the connection is still there. */
    boolean isConnected() {
        return exists(connection);
    }

    private static String path(final Component component) {
        return switch (component.kind()) {
                    case INPUT_PORT -> "/input-ports/";
                    case OUTPUT_PORT -> "/output-ports/";
                    case CONNECTION -> "/connections/";
                    default -> throw new IllegalArgumentException("A conversation has no " + component.kind());
                }
                + component.id();
    }

    private boolean exists(final Component component) {
        try {
            nifi.rest().get(path(component));
            return true;
        } catch (final RestException e) {
            if (e.status() == NOT_FOUND) {
                return false;
            }
            throw e;
        }
    }

    /** Takes away what is left of them. */
    void remove() {
        for (final Component port : ports.values()) {
            if (exists(port)) {
                setState(port, "STOPPED");
            }
        }
        // A port task may still hold what is to be deleted.
        Awaitility.await().atMost(PATIENCE).ignoreException(RestException.class).until(() -> {
            if (exists(connection)) {
                nifi.flow().empty(connection);
                flow.delete(connection);
            }
            for (final Component port : ports.values()) {
                if (exists(port)) {
                    flow.delete(port);
                }
            }
            return true;
        });
    }
}
