// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.Figure;
import org.nios2s.harness.result.Medians;
import org.nios2s.harness.scenario.CeilingScenario;
import org.nios2s.harness.scenario.CeilingScenario.Ceiling;
import org.nios2s.harness.scenario.EmbeddedNifi;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LoadScenario;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * How fast NiFi could be if the network cost nothing, beside the NIO listener in the same NiFi.
 * Runs on the main thread.
 */
@Command(
        name = "ceiling",
        description = {
            "Has a processor inside NiFi make the FlowFiles of transactions and commit several at a time, and gives the"
                    + " NIO listener of the same NiFi as much over the network, in turn.",
            "What the processor reaches is what a listener could reach at best: the rest is NiFi's repositories."
        },
        footer = "Exit code: 0 no failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class CeilingCommand implements Callable<Integer> {

    private static final int RATIO_DECIMALS = 2;
    private static final int CPU_DECIMALS = 3;

    @Spec
    private CommandSpec spec;

    @Mixin
    private FlatOutOptions load;

    @Option(
            names = "--commits",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,10,50,200",
            description = "Transactions in one commit of the processor, several by comma; default: ${DEFAULT-VALUE}.")
    private List<Integer> commits;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<Integer, List<Ceiling>> ceilings = new LinkedHashMap<>();

    @Override
    public Integer call() throws InterruptedException {
        final LoadSettings settings = load.settings(0);
        if (commits.stream().anyMatch(count -> count < 1)) {
            throw new ParameterException(spec.commandLine(), "--commits must be 1 or more, not " + commits);
        }
        results.prepare();
        try (Interruption interruption = Interruption.install();
                EmbeddedNifi nifi = embedded.start(Listener.NIO)) {
            final CeilingScenario inside = new CeilingScenario(nifi, embedded.portTasks(), interruption);
            final LoadScenario network = new LoadScenario(ClientKind.WIRE, interruption);
            if (!load.warmup().isZero()) {
                inside.run(settings, commits.getLast(), load.warmup());
                network.run(settings.flatOutFor(load.warmup()), nifi.target());
            }
            for (int round = 1; round <= load.rounds() && !interruption.interrupted(); round++) {
                for (final int count : commits) {
                    keep(inside.run(settings, count, load.duration()));
                }
                results.add("nio-" + round, network.run(settings, nifi.target()));
            }
            return report(Completion.of(interruption.interrupted()));
        }
    }

    private void keep(final Ceiling ceiling) {
        ceilings.computeIfAbsent(ceiling.transactionsPerCommit(), key -> new ArrayList<>())
                .add(ceiling);
        results.say(
                "%,d transactions per commit: %,.0f tx/s, server CPU %.3f ms/tx",
                ceiling.transactionsPerCommit(),
                ceiling.transactionsPerSecond(),
                ceiling.server().cpuMillisPerTransaction());
    }

    private int report(final Completion completion) {
        final Medians nio = Medians.of(results.runs(), "nio");
        if (nio.isEmpty() || ceilings.isEmpty()) {
            results.finish("Nothing was measured.", completion);
            return ExitCode.SOFTWARE;
        }
        final double rate = nio.of(Figure.RATE);
        final double cpu = nio.of(Figure.SERVER_CPU);
        DataTable table = DataTable.of(
                        "NIO listener against the ceiling",
                        Column.of("medians"),
                        Column.of("tx/s"),
                        Column.of("server CPU", "ms/tx", CPU_DECIMALS),
                        Column.of("nio / this: tx/s", null, RATIO_DECIMALS),
                        Column.of("nio / this: CPU", null, RATIO_DECIMALS))
                .noted("Inside: a processor of the same NiFi makes the FlowFiles of so many transactions per commit.");
        for (final Map.Entry<Integer, List<Ceiling>> entry : ceilings.entrySet()) {
            final double insideRate = rate(entry.getValue());
            final double insideCpu = cpu(entry.getValue());
            table = table.row(
                    "inside, %,d per commit".formatted(entry.getKey()),
                    insideRate,
                    insideCpu,
                    rate / insideRate,
                    cpu / insideCpu);
        }
        results.table(table.row("nio, %,d clients".formatted(load.clients()), rate, cpu, null, null));
        results.chart(chart(rate));
        results.finish(verdict(rate, cpu), completion);
        return nio.flawless() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private String verdict(final double rate, final double cpu) {
        final double least = ceilings.values().stream()
                .mapToDouble(CeilingCommand::cpu)
                .min()
                .orElseThrow();
        return String.format(
                Locale.ROOT,
                "With %,d clients flat out the NIO listener does %,.0f tx/s at %.3f ms server CPU each: %.2f × the CPU of"
                        + " the cheapest commits without any network (%.3f ms).",
                load.clients(),
                rate,
                cpu,
                cpu / least,
                least);
    }

    private Chart chart(final double nioRate) {
        final List<Chart.Point> rates = new ArrayList<>();
        ceilings.forEach((count, runs) -> rates.add(new Chart.Point("inside, " + count, rate(runs))));
        rates.add(new Chart.Point("nio", nioRate));
        return Chart.bar(
                "Rate without and with the network",
                new Chart.Axis("transactions per commit", ""),
                new Chart.Axis("transactions", "1/s"),
                List.of(new Chart.Series("tx/s", rates)));
    }

    private static double rate(final List<Ceiling> runs) {
        return Medians.median(runs.stream().mapToDouble(Ceiling::transactionsPerSecond));
    }

    private static double cpu(final List<Ceiling> runs) {
        return Medians.median(
                runs.stream().mapToDouble(ceiling -> ceiling.server().cpuMillisPerTransaction()));
    }
}
