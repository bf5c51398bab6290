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
 * Stops the NiFi of a home, or all nodes of a cluster: asks it to end, and ends it if it does not.
 * Runs on the main thread.
 */
@Command(name = "stop", description = "Stops the NiFi of a home.", mixinStandardHelpOptions = true)
public final class NifiStopCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private HomeOption home;

    @Override
    public Integer call() {
        final List<NifiInstance> running = NifiCluster.attach(home.directory());
        NifiCluster.stop(running);
        spec.commandLine()
                .getErr()
                .println((running.isEmpty() ? "No NiFi runs in " : "Stopped the NiFi in ") + home.directory());
        return CommandLine.ExitCode.OK;
    }
}
