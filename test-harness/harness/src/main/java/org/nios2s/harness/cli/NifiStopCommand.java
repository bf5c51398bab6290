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
