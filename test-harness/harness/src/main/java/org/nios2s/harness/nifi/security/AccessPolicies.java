// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi.security;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.RestClient;
import org.nios2s.harness.nifi.RestException;

/**
 * Who may do what in a secured NiFi, asked and changed over the REST API.
 * For any thread; a call blocks until NiFi has answered.
 */
public final class AccessPolicies {

    private static final int NOT_FOUND = 404;

    private final RestClient rest;

    /** The policies of the NiFi that a client with the administrator's key talks to. */
    public AccessPolicies(final RestClient rest) {
        this.rest = rest;
    }

    /** Lets an identity do something to a resource, as {@code write} to {@code /data-transfer/input-ports/<id>}. */
    public void grant(final String identity, final Action action, final String resource) {
        final String user = user(identity);
        final Optional<ObjectNode> policy = find(action, resource);
        if (policy.isEmpty()) {
            final ObjectNode entity = RestClient.object();
            entity.putObject("revision").put("version", 0);
            final ObjectNode component = entity.putObject("component");
            component.put("resource", resource).put("action", action.inRest());
            component.putArray("users").addObject().put("id", user);
            component.putArray("userGroups");
            rest.post("/policies", entity);
        } else if (index(policy.get(), user) < 0) {
            users(policy.get()).addObject().put("id", user);
            update(policy.get());
        }
    }

    /** Takes a permission away from an identity that was granted it for exactly that resource. */
    public void revoke(final String identity, final Action action, final String resource) {
        final String user = user(identity);
        find(action, resource).ifPresent(policy -> {
            final int index = index(policy, user);
            if (index >= 0) {
                users(policy).remove(index);
                update(policy);
            }
        });
    }

    /** Makes an identity known to NiFi, so that permissions can be granted to it. */
    public void addUser(final String identity) {
        final ObjectNode entity = RestClient.object();
        entity.putObject("revision").put("version", 0);
        entity.putObject("component").put("identity", identity);
        rest.post("/tenants/users", entity);
    }

    /** The policy of exactly that resource, not one that it inherits. */
    private Optional<ObjectNode> find(final Action action, final String resource) {
        try {
            final JsonNode policy = rest.get("/policies/" + action.inRest() + resource);
            return resource.equals(
                            policy.required("component").required("resource").asText())
                    ? Optional.of((ObjectNode) policy)
                    : Optional.empty();
        } catch (final RestException e) {
            if (e.status() == NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void update(final ObjectNode policy) {
        final ObjectNode entity = RestClient.object();
        entity.set("revision", policy.required("revision"));
        entity.set("component", policy.required("component"));
        rest.put("/policies/" + policy.required("id").asText(), entity);
    }

    private String user(final String identity) {
        for (final JsonNode user : rest.get("/tenants/users").required("users")) {
            if (identity.equals(user.required("component").required("identity").asText())) {
                return user.required("id").asText();
            }
        }
        throw new HarnessException("NiFi knows no user " + identity);
    }

    private static ArrayNode users(final ObjectNode policy) {
        return (ArrayNode) policy.required("component").required("users");
    }

    private static int index(final ObjectNode policy, final String user) {
        final ArrayNode users = users(policy);
        for (int index = 0; index < users.size(); index++) {
            if (user.equals(users.get(index).required("id").asText())) {
                return index;
            }
        }
        return -1;
    }

    /**
     * What may be done.
     * Immutable, for any thread.
     */
    public enum Action {
        /** Look. */
        READ,
        /** Change; for a port: send to it or receive from it. */
        WRITE;

        String inRest() {
            return this == READ ? "read" : "write";
        }
    }
}
