// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiInstance;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Prints the JSON line of the NiFi of a home.
 * Runs on the main thread.
 */
@Command(
        name = "status",
        description = "Prints the JSON line of the NiFi of a home; exit code 1 when none runs there.",
        mixinStandardHelpOptions = true)
public final class NifiStatusCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private HomeOption home;

    @Override
    public Integer call() {
        final List<NifiInstance> running = NifiCluster.attach(home.directory());
        if (running.isEmpty()) {
            spec.commandLine().getErr().println("No NiFi runs in " + home.directory());
            return CommandLine.ExitCode.SOFTWARE;
        }
        spec.commandLine().getOut().println(NifiCluster.describe(running));
        return CommandLine.ExitCode.OK;
    }
}
