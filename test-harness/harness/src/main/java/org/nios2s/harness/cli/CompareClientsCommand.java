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
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Comparison;
import org.nios2s.harness.result.Figure;
import org.nios2s.harness.result.Machine;
import org.nios2s.harness.result.RunResult;
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
 * The same work on the same listener from NiFi's own client and from another one, in turn.
 * Runs on the main thread.
 */
@Command(
        name = "compare-clients",
        description = {
            "Starts a NiFi and gives it the same work from NiFi's own client and from another one, in turn.",
            "Prints medians, spread and ratios. Without options: 100 clients, 200 transactions each, flat out.",
        },
        footer = "Exit code: 0 no failure of the other client and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class CompareClientsCommand implements Callable<Integer> {

    private static final int CLIENTS = 100;
    private static final int TRANSACTIONS = 200;
    private static final int MAX_PAIRS = 100;

    @Spec
    private CommandSpec spec;

    @Mixin
    private LoadOptions load;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            defaultValue = "3",
            description = "How often each client is measured; default: ${DEFAULT-VALUE}.")
    private int pairs;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "15s",
            converter = DurationConverter.class,
            description = "How long each client drives NiFi flat out before it counts; default: ${DEFAULT-VALUE}.")
    private Duration warmup;

    @Option(
            names = "--listener",
            defaultValue = "nio",
            description = "Of the NiFi that is started: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private Listener listener;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<ClientKind, List<RunResult>> runs = new EnumMap<>(ClientKind.class);

    @Override
    public Integer call() throws InterruptedException {
        final LoadSettings settings = load.settings(CLIENTS, TRANSACTIONS, Duration.ZERO);
        final ClientKind other = load.client(ClientKind.NIO);
        if (other == ClientKind.STOCK) {
            throw new ParameterException(spec.commandLine(), "--client names the one that NiFi's own is compared with");
        }
        if (pairs < 1 || pairs > MAX_PAIRS) {
            throw new ParameterException(
                    spec.commandLine(), "--pairs must be between 1 and %d, not %d".formatted(MAX_PAIRS, pairs));
        }
        results.prepare();
        try (Interruption interruption = Interruption.install();
                EmbeddedNifi nifi = embedded.start(listener)) {
            compare(settings, other, nifi.target(), interruption);
            return report(other, interruption.interrupted());
        }
    }

    /** A B B A …, so that what else happens on the machine meets both alike. */
    private void compare(
            final LoadSettings settings, final ClientKind other, final Target target, final Interruption interruption)
            throws InterruptedException {
        final List<ClientKind> order = List.of(ClientKind.STOCK, other);
        say("warming up, then %d pairs ...", pairs);
        for (final ClientKind client : order) {
            runs.put(client, new ArrayList<>());
            if (!warmup.isZero() && !interruption.interrupted()) {
                new LoadScenario(client, interruption).run(settings.flatOutFor(warmup), target);
            }
        }
        for (int pair = 1; pair <= pairs; pair++) {
            for (final ClientKind client : pair % 2 == 1 ? order : order.reversed()) {
                if (!interruption.interrupted()) {
                    keep(pair, client, new LoadScenario(client, interruption).run(settings, target));
                }
            }
        }
    }

    private void keep(final int pair, final ClientKind client, final Measured measured) {
        final RunResult run = measured.result();
        runs.get(client).add(run);
        results.add("%d-%s".formatted(pair, run.client()), measured);
        say(
                "pair %d, %-5s: %s tx/s, generator CPU %s ms/tx, server CPU %s ms/tx, %d failures",
                pair,
                run.client(),
                Figure.RATE.text(run),
                Figure.GENERATOR_CPU.text(run),
                Figure.SERVER_CPU.text(run),
                run.failures());
    }

    private int report(final ClientKind other, final boolean interrupted) {
        final List<RunResult> stockRuns = runs.get(ClientKind.STOCK);
        final List<RunResult> otherRuns = runs.get(other);
        final Comparison comparison = Comparison.of(stockRuns, otherRuns);
        final PrintWriter out = spec.commandLine().getOut();
        if (interrupted) {
            out.println("ended early: these are the figures of a part");
        }
        out.println(comparison.table());
        runs.values()
                .forEach(ofClient -> ofClient.forEach(run -> run.failuresByCause()
                        .forEach((cause, count) ->
                                out.printf(Locale.ROOT, "%s failed: %,d × %s%n", run.client(), count, cause))));
        results.finish(new Report("compare-clients", Machine.current(), interrupted, comparison, stockRuns, otherRuns));
        return !otherRuns.isEmpty() && otherRuns.stream().allMatch(RunResult::flawless)
                ? ExitCode.OK
                : ExitCode.SOFTWARE;
    }

    private void say(final String format, final Object... values) {
        spec.commandLine().getErr().println(String.format(Locale.ROOT, format, values));
        spec.commandLine().getErr().flush();
    }

    /**
     * What result.json holds.
     *
     * @param scenario    name of the command
     * @param machine     where it ran
     * @param interrupted whether it was ended early
     * @param comparison  medians, spread and ratios; its stock is NiFi's own client, its nio the other one
     * @param stock       runs of NiFi's own client
     * @param other       runs of the other client
     */
    record Report(
            String scenario,
            Machine machine,
            boolean interrupted,
            Comparison comparison,
            List<RunResult> stock,
            List<RunResult> other) {}
}
