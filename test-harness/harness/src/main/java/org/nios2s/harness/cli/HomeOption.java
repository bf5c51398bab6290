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
import org.nios2s.harness.nifi.NifiOptions;
import picocli.CommandLine.Option;

/**
 * The option that says which NiFi is meant.
 * For one thread.
 */
final class HomeOption {

    /** Names the project's directory; set by {@code bin/s2s-harness}. */
    private static final String PROJECT_PROPERTY = "s2s.harness.project";

    @Option(
            names = "--home",
            paramLabel = "DIR",
            description = "Directory of this NiFi; default: " + NifiOptions.DEFAULT_HOME + " in the project.")
    private Path home;

    Path directory() {
        return home == null
                ? Path.of(System.getProperty(PROJECT_PROPERTY, "")).resolve(NifiOptions.DEFAULT_HOME)
                : home;
    }
}
