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
package org.nios2s.harness.result;

/**
 * The machine that a run was on: absolute figures mean nothing without it. Immutable, any thread.
 *
 * @param processors processors that this process may use
 * @param system     operating system and architecture
 * @param java       version of this process's Java
 */
public record Machine(int processors, String system, String java) {

    /**
     * This machine.
     *
     * @return its description
     */
    public static Machine current() {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                String.join(
                        " ",
                        System.getProperty("os.name"),
                        System.getProperty("os.version"),
                        System.getProperty("os.arch")),
                Runtime.version().toString());
    }
}
