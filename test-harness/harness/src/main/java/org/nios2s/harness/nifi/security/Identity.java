/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.harness.nifi.security;

/**
 * Whom the harness's certificates name.
 * Immutable, for any thread.
 */
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
