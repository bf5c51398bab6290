// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.nio.file.Path;
import java.util.List;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.NifiOptions;
import picocli.CommandLine.Option;

/**
 * The option that says which NiFi of those that the harness started is meant. For one thread.
 */
final class HomeOption {

    @Option(
            names = "--home",
            paramLabel = "DIR",
            description = "Directory of this NiFi; default: " + NifiOptions.DEFAULT_HOME + " in the project.")
    private Path home;

    /** The directory. */
    Path directory() {
        return home == null ? HarnessDirectory.resolve(NifiOptions.DEFAULT_HOME) : home;
    }

    /** What runs there, or in every home of the project. */
    List<NifiInstance> running(final boolean all) {
        return all ? HarnessDirectory.running() : NifiCluster.attach(directory());
    }
}
