// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.nios2s.harness.cli.EmbeddedOptions.Variant;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Comparison;
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
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The same work over plain TCP and over TLS, on the same listener, in turn.
 * Runs on the main thread.
 */
@Command(
        name = "compare-tls",
        description = {
            "Starts two NiFis with the same listener, one of them secured, and gives them the same work in turn.",
            "Prints medians, spread and ratios. Without options: 100 clients, 200 transactions each, flat out."
        },
        footer = "Exit code: 0 no failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class CompareTlsCommand implements Callable<Integer> {

    private static final String PLAIN = "plain";
    private static final String TLS = "tls";

    @Spec
    private CommandSpec spec;

    @Mixin
    private LoadOptions load;

    @Mixin
    private PairOptions pairs;

    @Option(
            names = "--listener",
            defaultValue = "nio",
            description = "Of both NiFis: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private Listener listener;

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
        if (embedded.secure()) {
            throw new ParameterException(
                    spec.commandLine(), "compare-tls secures one of its two NiFis by itself: leave --secure away");
        }
        return Measuring.run(
                results, interruption -> compare(settings, count, interruption), this::verdict, results::flawless);
    }

    /** The NiFi that is not measured is stopped meanwhile: it would work off provenance. */
    private void compare(final LoadSettings settings, final int count, final Interruption interruption)
            throws InterruptedException {
        try (EmbeddedNifi open = embedded.start(listener, new Variant(PLAIN, false, Map.of(), List.of()));
                EmbeddedNifi secured = embedded.start(listener, new Variant(TLS, true, Map.of(), List.of()))) {
            final Target plain = open.target().named(PLAIN);
            final Target tls = secured.target().named(TLS);
            final LoadScenario scenario = new LoadScenario(load.client(), interruption);
            results.say("warming up, then %d pairs ...", count);
            new CompareScenario(scenario, interruption, true, this::keep)
                    .run(settings, pairs.warmup(), count, plain, tls);
            for (final Target target : List.of(plain, tls)) {
                profile.record(target.name(), target, results, () -> scenario.run(settings, target));
            }
        }
    }

    private void keep(final int pair, final Measured measured, final double idlePercent) {
        final RunResult run =
                results.add("%d-%s".formatted(pair, measured.result().listener()), measured);
        results.say(
                "pair %d, %-5s: %s tx/s, server CPU %s ms/tx, generator CPU %s ms/tx, %d failures",
                pair,
                run.listener(),
                Figure.RATE.text(run),
                Figure.SERVER_CPU.text(run),
                Figure.GENERATOR_CPU.text(run),
                run.failures());
    }

    private String verdict() {
        final Comparison comparison = Comparison.of(runsOver(PLAIN), runsOver(TLS));
        comparison.headlines("of plain TCP", "TLS").forEach(results::headline);
        results.table(comparison.table("Plain TCP against TLS", PLAIN, TLS));
        pairs.printCauses(results.runs());
        return Verdict.ofTls(comparison);
    }

    private List<RunResult> runsOver(final String name) {
        return results.runs().stream()
                .filter(run -> run.listener().equals(name))
                .toList();
    }
}
