// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Comparison;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.Figure;
import org.nios2s.harness.result.RunResult;
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

    @Spec
    private CommandSpec spec;

    @Mixin
    private LoadOptions load;

    @Mixin
    private PairOptions pairs;

    @Option(
            names = "--listener",
            defaultValue = "nio",
            description = "Of the NiFi that is started: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private Listener listener;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    @Override
    public Integer call() throws InterruptedException {
        final ClientKind other = load.client(ClientKind.NIO);
        final LoadSettings settings = load.settings(PairOptions.CLIENTS, PairOptions.TRANSACTIONS, Duration.ZERO);
        if (other == ClientKind.STOCK) {
            throw new ParameterException(spec.commandLine(), "--client names the one that NiFi's own is compared with");
        }
        final int count = pairs.pairs();
        results.prepare();
        try (Interruption interruption = Interruption.install();
                EmbeddedNifi nifi = embedded.start(listener)) {
            compare(settings, count, other, nifi.target(), interruption);
            return report(other, interruption.interrupted());
        }
    }

    /** A B B A …, so that what else happens on the machine meets both alike. */
    private void compare(
            final LoadSettings settings,
            final int count,
            final ClientKind other,
            final Target target,
            final Interruption interruption)
            throws InterruptedException {
        final List<ClientKind> order = List.of(ClientKind.STOCK, other);
        results.say("warming up, then %d pairs ...", count);
        for (final ClientKind client : order) {
            if (!pairs.warmup().isZero() && !interruption.interrupted()) {
                new LoadScenario(client, interruption).run(settings.flatOutFor(pairs.warmup()), target);
            }
        }
        for (int pair = 1; pair <= count; pair++) {
            for (final ClientKind client : pair % 2 == 1 ? order : order.reversed()) {
                if (!interruption.interrupted()) {
                    keep(pair, new LoadScenario(client, interruption).run(settings, target));
                }
            }
        }
    }

    private void keep(final int pair, final Measured measured) {
        final RunResult run =
                results.add("%d-%s".formatted(pair, measured.result().client()), measured);
        results.say(
                "pair %d, %-5s: %s tx/s, generator CPU %s ms/tx, server CPU %s ms/tx, %d failures",
                pair,
                run.client(),
                Figure.RATE.text(run),
                Figure.GENERATOR_CPU.text(run),
                Figure.SERVER_CPU.text(run),
                run.failures());
    }

    private int report(final ClientKind other, final boolean interrupted) {
        final List<RunResult> otherRuns = runsOf(other);
        final Comparison comparison = Comparison.of(runsOf(ClientKind.STOCK), otherRuns);
        results.table(comparison.table("NiFi's client against another", name(ClientKind.STOCK), name(other)));
        pairs.printCauses(results.runs());
        results.finish(Verdict.of(comparison, name(other)), Completion.of(interrupted));
        return !otherRuns.isEmpty() && otherRuns.stream().allMatch(RunResult::flawless)
                ? ExitCode.OK
                : ExitCode.SOFTWARE;
    }

    private List<RunResult> runsOf(final ClientKind client) {
        return results.runs().stream()
                .filter(run -> run.client().equals(name(client)))
                .toList();
    }

    private static String name(final ClientKind client) {
        return client.name().toLowerCase(Locale.ROOT);
    }
}
