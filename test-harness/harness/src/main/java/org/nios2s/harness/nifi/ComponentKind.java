// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

/** The kinds of components that the harness makes, with their names in the REST API. Immutable; any thread. */
public enum ComponentKind {
    /** A port that receives from peers. */
    INPUT_PORT("input-ports", "inputPorts"),
    /** A port that peers pull from. */
    OUTPUT_PORT("output-ports", "outputPorts"),
    PROCESSOR("processors", "processors"),
    CONNECTION("connections", "connections");

    private final String path;
    private final String listName;

    ComponentKind(final String path, final String listName) {
        this.path = path;
        this.listName = listName;
    }

    String path() {
        return path;
    }

    String listName() {
        return listName;
    }
}
