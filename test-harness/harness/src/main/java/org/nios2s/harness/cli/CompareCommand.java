// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Comparison;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.Figure;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.Verdict;
import org.nios2s.harness.scenario.CompareScenario;
import org.nios2s.harness.scenario.EmbeddedNifi;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LoadScenario;
import org.nios2s.harness.scenario.LoadScenario.Measured;
import org.nios2s.harness.scenario.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The same work on the stock and the NIO listener, in turn.
 * Runs on the main thread.
 */
@Command(
        name = "compare",
        description = {
            "Starts two NiFis, one with the stock and one with the NIO listener, and gives them the same work in turn.",
            "Prints medians, spread and ratios. Without options: 100 clients, 200 transactions each, flat out.",
            "Runs of a few seconds are bursts: NiFi indexes provenance afterwards. For the sustained rate: --duration 60s."
        },
        footer = "Exit code: 0 no NIO failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class CompareCommand implements Callable<Integer> {

    private static final double BUSY_PERCENT = 10;

    @Mixin
    private LoadOptions load;

    @Mixin
    private PairOptions pairs;

    @Option(
            names = "--pause-idle",
            description = "Stops the process of the NiFi that is not measured (signals STOP and CONT).")
    private boolean pauseIdle;

    @Mixin
    private ProfileOption profile;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    @Override
    public Integer call() throws InterruptedException {
        final LoadSettings settings = load.settings(PairOptions.CLIENTS, PairOptions.TRANSACTIONS, Duration.ZERO);
        final int count = pairs.pairs();
        results.prepare();
        try (Interruption interruption = Interruption.install();
                EmbeddedNifi stock = embedded.start(Listener.STOCK);
                EmbeddedNifi nio = embedded.start(Listener.NIO)) {
            final LoadScenario scenario = new LoadScenario(load.client(), interruption);
            results.say("warming up, then %d pairs ...", count);
            new CompareScenario(scenario, interruption, pauseIdle, this::keep)
                    .run(settings, pairs.warmup(), count, stock.target(), nio.target());
            for (final Target target : List.of(stock.target(), nio.target())) {
                profile.record(target.name(), target, results, () -> scenario.run(settings, target));
            }
            return report(interruption.interrupted());
        }
    }

    private void keep(final int pair, final Measured measured, final double idlePercent) {
        final RunResult run =
                results.add("%d-%s".formatted(pair, measured.result().listener()), measured);
        results.say(
                "pair %d, %-5s: %s tx/s, server CPU %s ms/tx, %d failures; the other NiFi took %.0f %% of a processor%s",
                pair,
                run.listener(),
                Figure.RATE.text(run),
                Figure.SERVER_CPU.text(run),
                run.failures(),
                idlePercent,
                idlePercent > BUSY_PERCENT ? ", which is not idle: see --pause-idle" : "");
    }

    private int report(final boolean interrupted) {
        final List<RunResult> stockRuns = runsOn(Listener.STOCK);
        final List<RunResult> nioRuns = runsOn(Listener.NIO);
        final Comparison comparison = Comparison.of(stockRuns, nioRuns);
        comparison.headlines("of the stock listener", "NIO").forEach(results::headline);
        results.table(comparison.table());
        pairs.printCauses(results.runs());
        results.finish(Verdict.of(comparison), Completion.of(interrupted));
        return !nioRuns.isEmpty() && nioRuns.stream().allMatch(RunResult::flawless) ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private List<RunResult> runsOn(final Listener listener) {
        final String name = listener.name().toLowerCase(Locale.ROOT);
        return results.runs().stream()
                .filter(run -> run.listener().equals(name))
                .toList();
    }
}
