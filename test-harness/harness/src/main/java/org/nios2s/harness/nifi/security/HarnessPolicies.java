// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi.security;

import java.util.Collection;
import java.util.List;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.security.AccessPolicies.Action;

/**
 * The permissions that the harness's flow needs: the administrator's to make it, the client's to use its ports.
 * For one thread.
 */
public final class HarnessPolicies {

    private static final String SITE_TO_SITE = "/site-to-site";

    private final AccessPolicies policies;

    /** The policies to set. */
    public HarnessPolicies(final AccessPolicies policies) {
        this.policies = policies;
    }

    /** Lets the administrator make the flow and look at all of it; every node may see what passes through it. */
    public void grantFlow(final String rootGroup) {
        final String group = "/process-groups/" + rootGroup;
        for (final Identity identity : List.of(Identity.ADMIN, Identity.NODE)) {
            grant(identity, Action.READ, group);
            grant(identity, Action.WRITE, group);
            grant(identity, Action.READ, "/data" + group);
            grant(identity, Action.WRITE, "/data" + group);
            grant(identity, Action.READ, "/provenance-data" + group);
            grant(identity, Action.READ, "/provenance");
            grant(identity, Action.READ, "/system");
            grant(identity, Action.READ, SITE_TO_SITE);
        }
    }

    /** Lets the client use ports. */
    public void grantPorts(final Collection<Component> ports) {
        grant(Identity.CLIENT, Action.READ, SITE_TO_SITE);
        for (final Component port : ports) {
            grant(Identity.CLIENT, Action.WRITE, transferTo(port));
        }
    }

    /** The resource that sending to or receiving from a port is. */
    public static String transferTo(final Component port) {
        return "/data-transfer/" + (port.kind() == ComponentKind.INPUT_PORT ? "input-ports/" : "output-ports/")
                + port.id();
    }

    private void grant(final Identity identity, final Action action, final String resource) {
        policies.grant(identity.distinguishedName(), action, resource);
    }
}
