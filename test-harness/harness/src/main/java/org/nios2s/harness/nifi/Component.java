// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

/**
 * One component of a flow. Immutable; any thread.
 *
 * @param kind what it is
 * @param id its id
 */
public record Component(ComponentKind kind, String id) {

    public String path() {
        return "/" + kind.path() + "/" + id;
    }
}
