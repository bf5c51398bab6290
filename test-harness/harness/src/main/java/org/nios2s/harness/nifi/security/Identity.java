// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi.security;

/** Whom the harness's certificates name. Immutable; any thread. */
public enum Identity {
    /** NiFi itself; all nodes of a cluster. */
    NODE("node"),
    /** The harness, when it sets up flow and policies. */
    ADMIN("admin"),
    /** A peer that may send to and receive from every port of the harness's flow. */
    CLIENT("client"),
    /** A peer that NiFi trusts but has no policy for. */
    STRANGER("stranger");

    private final String commonName;

    Identity(final String commonName) {
        this.commonName = commonName;
    }

    /** The distinguished name as NiFi formats it. */
    public String distinguishedName() {
        return "CN=" + commonName + ", OU=s2s-harness";
    }

    String fileName() {
        return commonName + ".p12";
    }
}
