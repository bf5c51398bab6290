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
package org.nios2s.harness.nifi;

/**
 * The kinds of components that the harness makes, with their names in the REST API.
 * Immutable, for any thread.
 */
public enum ComponentKind {
    /** A port that receives from peers. */
    INPUT_PORT("input-ports", "inputPorts"),
    /** A port that peers pull from. */
    OUTPUT_PORT("output-ports", "outputPorts"),
    /** A processor. */
    PROCESSOR("processors", "processors"),
    /** A connection with its queue. */
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

    String connectableType() {
        return name();
    }
}
