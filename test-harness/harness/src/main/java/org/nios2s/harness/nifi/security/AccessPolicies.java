// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi.security;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.RestClient;
import org.nios2s.harness.nifi.RestException;

/**
 * The policies of a secured NiFi, asked and changed over the REST API.
 * For any thread; a call blocks until NiFi has answered.
 *
 * @param rest of a client with the administrator's key
 */
public record AccessPolicies(RestClient rest) {

    private static final int NOT_FOUND = 404;
    private static final String SITE_TO_SITE = "/site-to-site";

    /** An action on a resource. Immutable; any thread. */
    public enum Action {
        READ,
        /** Change; for a port: send to it or receive from it. */
        WRITE
    }

    /** The resource that sending to or receiving from a port is. */
    public static String transferTo(final Component port) {
        return "/data-transfer" + port.path();
    }

    /** Lets the administrator make the harness's flow and look at all of it; every node may see what passes through. */
    public void grantFlow(final String rootGroup) {
        final String group = "/process-groups/" + rootGroup;
        for (final Identity identity : List.of(Identity.ADMIN, Identity.NODE)) {
            final String name = identity.distinguishedName();
            grant(name, Action.READ, group);
            grant(name, Action.WRITE, group);
            grant(name, Action.READ, "/data" + group);
            grant(name, Action.WRITE, "/data" + group);
            grant(name, Action.READ, "/provenance-data" + group);
            grant(name, Action.READ, "/provenance");
            grant(name, Action.READ, "/system");
            grant(name, Action.READ, "/counters");
            grant(name, Action.READ, SITE_TO_SITE);
        }
    }

    /** Lets the harness's client use ports. */
    public void grantPorts(final Collection<Component> ports) {
        final String client = Identity.CLIENT.distinguishedName();
        grant(client, Action.READ, SITE_TO_SITE);
        ports.forEach(port -> grant(client, Action.WRITE, transferTo(port)));
    }

    /** Lets an identity do something to a resource, as {@code write} to {@code /data-transfer/input-ports/<id>}. */
    public void grant(final String identity, final Action action, final String resource) {
        final String user = user(identity);
        final Optional<ObjectNode> policy = find(action, resource);
        if (policy.isEmpty()) {
            final ObjectNode entity = RestClient.object();
            entity.putObject("revision").put("version", 0);
            final ObjectNode component = entity.putObject("component");
            component.put("resource", resource).put("action", action.name().toLowerCase(Locale.ROOT));
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
        find(action, resource).filter(policy -> index(policy, user) >= 0).ifPresent(policy -> {
            users(policy).remove(index(policy, user));
            update(policy);
        });
    }

    /** The policy of exactly that resource, not one that it inherits. */
    private Optional<ObjectNode> find(final Action action, final String resource) {
        try {
            final JsonNode policy = rest.get("/policies/" + action.name().toLowerCase(Locale.ROOT) + resource);
            return Optional.of((ObjectNode) policy)
                    .filter(found -> resource.equals(
                            found.requiredAt("/component/resource").asText()));
        } catch (final RestException e) {
            if (e.status() == NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void update(final ObjectNode policy) {
        final ObjectNode change = policy.deepCopy().retain("revision", "component");
        rest.put("/policies/" + policy.required("id").asText(), change);
    }

    private String user(final String identity) {
        return RestClient.stream(rest.get("/tenants/users").required("users"))
                .filter(user ->
                        identity.equals(user.requiredAt("/component/identity").asText()))
                .findFirst()
                .map(user -> user.required("id").asText())
                .orElseThrow(() -> new HarnessException("NiFi knows no user " + identity));
    }

    private static ArrayNode users(final ObjectNode policy) {
        return (ArrayNode) policy.requiredAt("/component/users");
    }

    /** Where a user stands in a policy, or -1. */
    private static int index(final ObjectNode policy, final String user) {
        final ArrayNode users = users(policy);
        return IntStream.range(0, users.size())
                .filter(index -> user.equals(users.get(index).required("id").asText()))
                .findFirst()
                .orElse(-1);
    }
}
