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
package org.nios2s.harness.cli;

import java.nio.file.Path;

/**
 * Where the project lies, whose directory holds homes and results when nothing else is said.
 * Stateless, for any thread.
 */
final class ProjectDirectory {

    /** Set by {@code bin/s2s-harness}; without it, the working directory stands for the project. */
    private static final String PROPERTY = "s2s.harness.project";

    private ProjectDirectory() {}

    static Path resolve(final String name) {
        return Path.of(System.getProperty(PROPERTY, "")).resolve(name).toAbsolutePath();
    }
}
