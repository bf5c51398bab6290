// SPDX-License-Identifier: Apache-2.0
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
