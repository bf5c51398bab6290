// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.Figure;
import org.nios2s.harness.result.LedgerFigures;
import org.nios2s.harness.result.RunReport;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Verdict;
import org.nios2s.harness.scenario.EmbeddedNifi;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LoadScenario;
import org.nios2s.harness.scenario.LoadScenario.Measured;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Shows what the project is for: a thousand concurrent clients on the NIO listener, then the same work on the stock one.
 * Runs on the main thread.
 */
@Command(
        name = "demo",
        description = {
            "Starts a NiFi with the NIO listener and drives 1,000 concurrent clients for half a minute, one transaction",
            "per second each; then the same work on the stock listener. Prints both side by side and stops everything."
        },
        footer = "Exit code: 0 no NIO failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class DemoCommand implements Callable<Integer> {

    private static final int CLIENTS = 1_000;
    private static final int TRANSACTIONS = 30;
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final String NIO = "nio";
    private static final List<Figure> FIGURES = List.of(
            Figure.RATE,
            Figure.FAILURES,
            Figure.TOTAL_P50,
            Figure.TOTAL_P99,
            Figure.SERVER_CPU,
            Figure.SERVER_THREADS,
            Figure.SERVER_RSS,
            Figure.LOST,
            Figure.DUPLICATED);

    @Spec
    private CommandSpec spec;

    @Mixin
    private LoadOptions load;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "How long each NiFi is driven flat out before it counts; default: ${DEFAULT-VALUE}.")
    private Duration warmup;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    @Override
    public Integer call() throws InterruptedException {
        final LoadSettings settings = load.settings(CLIENTS, TRANSACTIONS, INTERVAL);
        results.prepare();
        try (Interruption interruption = Interruption.install()) {
            final LoadScenario scenario = new LoadScenario(load.client(), interruption);
            for (final Listener listener : List.of(Listener.NIO, Listener.STOCK)) {
                if (!interruption.interrupted()) {
                    measure(scenario, settings, listener, interruption);
                }
            }
            return report(settings, interruption.interrupted());
        }
    }

    private void measure(
            final LoadScenario scenario,
            final LoadSettings settings,
            final Listener listener,
            final Interruption interruption)
            throws InterruptedException {
        try (EmbeddedNifi nifi = embedded.start(listener)) {
            if (!warmup.isZero()) {
                scenario.run(settings.flatOutFor(warmup), nifi.target());
            }
            if (interruption.interrupted()) {
                return;
            }
            results.say(
                    "%,d clients on the %s listener ...",
                    settings.clients(), nifi.target().name());
            final Measured run = scenario.run(settings, nifi.target());
            results.add(run.result().listener(), run);
        }
    }

    private int report(final LoadSettings settings, final boolean interrupted) {
        final PrintWriter out = spec.commandLine().getOut();
        final List<RunResult> runs = results.runs();
        if (!runs.isEmpty()) {
            results.table(RunReport.sideBySide(
                    "%,d clients, a transaction of %d × %d bytes per %d ms each"
                            .formatted(
                                    settings.clients(),
                                    settings.packets(),
                                    settings.packetSize(),
                                    settings.interval().toMillis()),
                    runs,
                    FIGURES));
            runs.forEach(run -> explain(out, run));
            results.finish(Verdict.of(runs), Completion.of(interrupted));
        }
        return runs.stream().anyMatch(run -> run.listener().equals(NIO) && run.flawless()) && !interrupted
                ? ExitCode.OK
                : ExitCode.SOFTWARE;
    }

    private static void explain(final PrintWriter out, final RunResult run) {
        run.failuresByCause()
                .forEach((cause, count) -> out.printf(Locale.ROOT, "%s failed: %,d × %s%n", run.label(), count, cause));
        final LedgerFigures ledger = run.ledger();
        if (ledger != null) {
            out.printf(
                    Locale.ROOT,
                    "%s: %,d packets acknowledged, %,d in the sink's ledger%s%n",
                    run.label(),
                    ledger.acknowledged(),
                    ledger.arrived(),
                    ledger.settled() ? "" : ", which did not come to rest");
        }
    }
}
