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

import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.RunReport;
import org.nios2s.harness.result.Verdict;
import org.nios2s.harness.scenario.EmbeddedNifi;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LoadScenario;
import org.nios2s.harness.scenario.LoadScenario.Measured;
import org.nios2s.harness.scenario.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The scale test of 2019: many clients, each sending a transaction per interval.
 * Runs on the main thread.
 */
@Command(
        name = "scale",
        description = {
            "Many clients push transactions into NiFi; measures both sides and checks that every packet arrived once.",
            "Without --home and --target it starts a NiFi and stops it again."
        },
        footer = "Exit code: 0 no failure and an exact ledger, 1 failures or an inexact ledger, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ScaleCommand implements Callable<Integer> {

    private static final int CLIENTS = 1_000;
    private static final int TRANSACTIONS = 30;
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Pattern HOST_AND_PORT = Pattern.compile("(.+):(\\d{1,5})");

    @Spec
    private CommandSpec spec;

    @Mixin
    private LoadOptions load;

    @Option(
            names = "--listener",
            defaultValue = "nio",
            description = "Of the NiFi that is started: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private Listener listener;

    @Option(names = "--home", paramLabel = "DIR", description = "Uses the NiFi that 'nifi start' started there.")
    private Path home;

    @Option(
            names = "--target",
            paramLabel = "HOST:PORT",
            description =
                    "Uses the RAW Site-to-Site socket of any NiFi, with --port-id; nothing but the load touches it.")
    private String target;

    @Option(names = "--port-id", paramLabel = "ID", description = "Identifier of the input port, with --target.")
    private String portId;

    @Option(
            names = "--api",
            paramLabel = "URL",
            description =
                    "Web address of the NiFi of --target, such as http://127.0.0.1:8080/nifi; for --client stock.")
    private URI api;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    @Override
    public Integer call() throws InterruptedException {
        final LoadSettings settings = load.settings(CLIENTS, TRANSACTIONS, INTERVAL);
        if (embedded.secure() && (home != null || target != null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--secure is for a NiFi that is started: that of --home is secured or not, and --target is for plain TCP");
        }
        final Target given = target == null ? null : givenTarget();
        results.prepare();
        try (Interruption interruption = Interruption.install()) {
            final LoadScenario scenario = new LoadScenario(load.client(), interruption);
            if (given != null) {
                return run(scenario, settings, given, interruption);
            }
            try (EmbeddedNifi nifi = home == null ? embedded.start(listener) : EmbeddedNifi.attach(home)) {
                return run(scenario, settings, nifi.target(), interruption);
            }
        }
    }

    private int run(
            final LoadScenario scenario,
            final LoadSettings settings,
            final Target measured,
            final Interruption interruption)
            throws InterruptedException {
        final PrintWriter out = spec.commandLine().getOut();
        final Measured run = scenario.run(settings, measured);
        out.print(RunReport.of(run.result()));
        results.add("", run);
        results.finish(Verdict.of(List.of(run.result())), Completion.of(interruption.interrupted()));
        return run.result().flawless() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private Target givenTarget() {
        final Matcher address = HOST_AND_PORT.matcher(target);
        if (home != null) {
            throw new ParameterException(spec.commandLine(), "--home and --target exclude each other");
        }
        if (!address.matches() || portId == null) {
            throw new ParameterException(
                    spec.commandLine(), "--target needs HOST:PORT, and --port-id the identifier of an input port");
        }
        if (load.client() == ClientKind.STOCK && api == null) {
            throw new ParameterException(
                    spec.commandLine(), "--client stock needs --api: NiFi's own client finds the socket through it");
        }
        try {
            final TargetAddress socket =
                    new TargetAddress(address.group(1), Integer.parseInt(address.group(2)), portId, api);
            if (socket.socket().isUnresolved()) {
                throw new HarnessException("The host " + socket.host() + " of --target has no address");
            }
            return new Target(target, socket, null, null, null);
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--target " + target + ": " + e.getMessage(), e);
        }
    }
}
