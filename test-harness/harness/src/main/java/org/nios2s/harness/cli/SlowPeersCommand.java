// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.wire.PeerCrowd.Attendance;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.Figure;
import org.nios2s.harness.result.Medians;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.scenario.EmbeddedNifi;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LoadScenario;
import org.nios2s.harness.scenario.LoadScenario.Measured;
import org.nios2s.harness.scenario.SlowPeersScenario;
import org.nios2s.harness.scenario.SlowPeersScenario.Beside;
import org.nios2s.harness.scenario.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What peers that trickle inside a transaction do to those who don't, on both listeners.
 * Runs on the main thread.
 */
@Command(
        name = "slow-peers",
        description = {
            "Pushes flat out with and without peers beside it that send one byte per second inside a transaction.",
            "The stock listener gets fewer of them: each holds one of its port tasks, so that a few stop everyone."
        },
        footer = "Exit code: 0 no NIO failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SlowPeersCommand implements Callable<Integer> {

    private static final String WITHOUT = "without";
    private static final String WITH = "with";
    private static final int PERCENT = 100;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--peers",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Slow peers of the NIO listener; default: ${DEFAULT-VALUE}.")
    private int peers;

    @Option(
            names = "--stock-peers",
            paramLabel = "N",
            defaultValue = "8",
            description = "Slow peers of the stock listener, 0 to leave it out; default: ${DEFAULT-VALUE}.")
    private int stockPeers;

    @Mixin
    private FlatOutOptions load;

    @Mixin
    private ProfileOption profile;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<String, Attendance> attendances = new LinkedHashMap<>();

    @Override
    public Integer call() throws InterruptedException {
        if (peers < 1 || stockPeers < 0) {
            throw new ParameterException(spec.commandLine(), "--peers must be 1 or more, and --stock-peers 0 or more");
        }
        final LoadSettings settings = load.settings(Math.max(peers, stockPeers));
        results.prepare();
        try (Interruption interruption = Interruption.install();
                EmbeddedNifi stock = stockPeers == 0 ? null : embedded.start(Listener.STOCK);
                EmbeddedNifi nio = embedded.start(Listener.NIO)) {
            final LoadScenario scenario = new LoadScenario(ClientKind.WIRE, interruption);
            final Map<Target, Integer> targets = new LinkedHashMap<>();
            if (stock != null) {
                targets.put(stock.target(), stockPeers);
            }
            targets.put(nio.target(), peers);
            for (final Target target : targets.keySet()) {
                scenario.run(settings.flatOutFor(load.warmup()), target);
            }
            for (int round = 1; round <= load.rounds() && !interruption.interrupted(); round++) {
                for (final Map.Entry<Target, Integer> target : targets.entrySet()) {
                    measure(scenario, settings, target.getKey(), target.getValue(), round);
                }
            }
            for (final Map.Entry<Target, Integer> entry : targets.entrySet()) {
                final Target target = entry.getKey();
                final SlowPeersScenario beside = new SlowPeersScenario(scenario);
                profile.record(target.name() + "-without", target, results, () -> scenario.run(settings, target));
                profile.record(
                        target.name() + "-with", target, results, () -> beside.run(settings, target, entry.getValue()));
            }
            return report(Completion.of(interruption.interrupted()));
        }
    }

    private void measure(
            final LoadScenario scenario,
            final LoadSettings settings,
            final Target target,
            final int slow,
            final int round)
            throws InterruptedException {
        keep(label(target.name(), WITHOUT, round), scenario.run(settings, target));
        final Beside beside = new SlowPeersScenario(scenario).run(settings, target, slow);
        final String label = label(target.name(), WITH, round);
        attendances.put(label, beside.attendance());
        keep(label, beside.measured());
    }

    private static String label(final String listener, final String which, final int round) {
        return "%s-%s-%d".formatted(listener, which, round);
    }

    private void keep(final String label, final Measured measured) {
        final RunResult run = results.add(label, measured);
        results.say("%s: %s tx/s, %,d failures", label, Figure.RATE.text(run), run.failures());
    }

    private int report(final Completion completion) {
        DataTable table = DataTable.of(
                "Flat out beside slow peers",
                Column.of("medians"),
                Column.of("slow peers"),
                Column.of("still there"),
                Column.of("tx/s"),
                Column.of("with / without", null, 2),
                Column.of("failures, all rounds"),
                Column.of("total p50", "ms", 1),
                Column.of("total p99", "ms", 1),
                Column.of("server CPU", "ms/tx", 3));
        for (final String listener : listeners()) {
            table = row(row(table, listener, WITHOUT), listener, WITH);
        }
        results.table(table);
        results.remark("The stock listener had %d slow peers, the NIO listener %,d.".formatted(stockPeers, peers));
        results.chart(chart());
        final Medians with = medians("nio", WITH);
        results.finish(
                with.isEmpty()
                        ? "Nothing was measured."
                        : String.format(
                                Locale.ROOT,
                                "Beside %,d slow peers the NIO listener keeps %.0f %% of its rate with %,d failures%s.",
                                peers,
                                PERCENT * kept("nio"),
                                with.failures(),
                                stockWords()),
                completion);
        return !with.isEmpty() && with.flawless() && medians("nio", WITHOUT).flawless()
                ? ExitCode.OK
                : ExitCode.SOFTWARE;
    }

    private String stockWords() {
        final Medians with = medians("stock", WITH);
        return with.isEmpty()
                ? ""
                : String.format(
                        Locale.ROOT,
                        "; beside %d the stock listener keeps %.0f %% with %,d failures",
                        stockPeers,
                        PERCENT * kept("stock"),
                        with.failures());
    }

    private double kept(final String listener) {
        return medians(listener, WITH).of(Figure.RATE)
                / medians(listener, WITHOUT).of(Figure.RATE);
    }

    private DataTable row(final DataTable table, final String listener, final String which) {
        final Medians medians = medians(listener, which);
        if (medians.isEmpty()) {
            return table;
        }
        final boolean with = which.equals(WITH);
        return table.row(
                listener + ", " + which,
                with ? listener.equals("nio") ? peers : stockPeers : 0,
                with ? leastPresent(listener) : null,
                medians.of(Figure.RATE),
                with ? kept(listener) : null,
                medians.failures(),
                medians.of(Figure.TOTAL_P50),
                medians.of(Figure.TOTAL_P99),
                medians.of(Figure.SERVER_CPU));
    }

    /** How many of the slow peers were left at the end of the worst run. */
    private Long leastPresent(final String listener) {
        return attendances.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(listener))
                .map(entry -> entry.getValue().present())
                .min(Long::compare)
                .orElse(null);
    }

    private Chart chart() {
        final List<Chart.Series> series = List.of(WITHOUT, WITH).stream()
                .map(which -> new Chart.Series(
                        which + " slow peers",
                        listeners().stream()
                                .map(listener -> new Chart.Point(
                                        listener, medians(listener, which).of(Figure.RATE)))
                                .toList()))
                .toList();
        return Chart.bar(
                "Rate with and without slow peers",
                new Chart.Axis("listener", ""),
                new Chart.Axis("transactions", "1/s"),
                series);
    }

    private List<String> listeners() {
        return stockPeers == 0 ? List.of("nio") : List.of("stock", "nio");
    }

    private Medians medians(final String listener, final String which) {
        return Medians.of(results.runs(), "%s-%s-".formatted(listener, which));
    }
}
