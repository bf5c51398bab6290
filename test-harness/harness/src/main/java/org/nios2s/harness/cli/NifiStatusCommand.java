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
