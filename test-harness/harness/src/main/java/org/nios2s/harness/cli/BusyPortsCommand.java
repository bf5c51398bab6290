// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.Medians;
import org.nios2s.harness.scenario.BusyPortsScenario;
import org.nios2s.harness.scenario.BusyPortsScenario.Share;
import org.nios2s.harness.scenario.EmbeddedNifi;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.PausedProcess;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What many busy ports leave to the other processors of the flow, on both listeners.
 * Runs on the main thread.
 */
@Command(
        name = "busy-ports",
        description = {
            "Keeps many input ports busy on a small pool of threads, and counts how often another processor is triggered.",
            "The clients of --clients are shared out among the ports."
        },
        footer = "Exit code: 0 no NIO failure, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class BusyPortsCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--ports",
            paramLabel = "N",
            defaultValue = "20",
            description = "Busy input ports; default: ${DEFAULT-VALUE}.")
    private int ports;

    @Option(
            names = "--pool",
            paramLabel = "N",
            defaultValue = "10",
            description = "Timer-driven threads of NiFi; default: ${DEFAULT-VALUE}.")
    private int pool;

    @Mixin
    private FlatOutOptions load;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<Listener, List<Share>> idle = new EnumMap<>(Listener.class);
    private final Map<Listener, List<Share>> busy = new EnumMap<>(Listener.class);

    @Override
    public Integer call() throws InterruptedException {
        final LoadSettings all = load.settings(0);
        if (ports < 1 || pool < 1 || all.clients() < ports) {
            throw new ParameterException(
                    spec.commandLine(), "--ports and --pool must be 1 or more, and --clients at least one per port");
        }
        final LoadSettings each = share(all);
        results.prepare();
        try (Interruption interruption = Interruption.install();
                EmbeddedNifi stock = embedded.start(Listener.STOCK);
                EmbeddedNifi nio = embedded.start(Listener.NIO)) {
            final Map<Listener, BusyPortsScenario> scenarios = new EnumMap<>(Listener.class);
            scenarios.put(Listener.STOCK, new BusyPortsScenario(stock, ports, embedded.portTasks(), pool));
            scenarios.put(Listener.NIO, new BusyPortsScenario(nio, ports, embedded.portTasks(), pool));
            for (final BusyPortsScenario scenario : scenarios.values()) {
                scenario.busy(each.flatOutFor(load.warmup()));
            }
            // The processor that counts never rests: beside the NiFi that is measured the other one stands still.
            final Map<Listener, ProcessHandle> others = Map.of(
                    Listener.STOCK, nio.target().process(),
                    Listener.NIO, stock.target().process());
            for (int round = 1; round <= load.rounds(); round++) {
                for (final Map.Entry<Listener, BusyPortsScenario> entry : scenarios.entrySet()) {
                    if (!interruption.interrupted()) {
                        measure(entry.getKey(), entry.getValue(), others.get(entry.getKey()), each);
                    }
                }
            }
            return report(Completion.of(interruption.interrupted()));
        }
    }

    private LoadSettings share(final LoadSettings all) {
        return new LoadSettings(
                all.clients() / ports,
                LoadSettings.UNLIMITED,
                all.duration(),
                all.packets(),
                all.packetSize(),
                all.interval(),
                all.stagger(),
                all.timeout());
    }

    private void measure(
            final Listener listener,
            final BusyPortsScenario scenario,
            final ProcessHandle other,
            final LoadSettings each)
            throws InterruptedException {
        final PausedProcess paused = PausedProcess.pause(other);
        try {
            final Share free = scenario.idle(each.duration().dividedBy(2));
            idle.computeIfAbsent(listener, key -> new ArrayList<>()).add(free);
            final Share share = scenario.busy(each);
            busy.computeIfAbsent(listener, key -> new ArrayList<>()).add(share);
            results.say(
                    "%s: %,.0f triggers/s beside %,.0f tx/s, %d failures, %,.0f triggers/s beside idle ports",
                    name(listener),
                    share.triggersPerSecond(),
                    share.transactionsPerSecond(),
                    share.failures(),
                    free.triggersPerSecond());
        } finally {
            paused.close();
        }
    }

    private int report(final Completion completion) {
        if (busy.size() < 2) {
            results.finish("Not both listeners were measured.", completion);
            return ExitCode.SOFTWARE;
        }
        final double ofStock = median(Listener.STOCK, Share::triggersPerSecond);
        DataTable table = DataTable.of(
                "Another processor beside busy ports",
                Column.of("medians"),
                Column.of("triggers/s, ports idle"),
                Column.of("triggers/s, ports busy"),
                Column.of("busy, this / stock", null, 2),
                Column.of("tx/s of all ports"),
                Column.of("failures, all rounds"));
        for (final Listener listener : busy.keySet()) {
            final double triggers = median(listener, Share::triggersPerSecond);
            table = table.row(
                    name(listener),
                    median(idle, listener, Share::triggersPerSecond),
                    triggers,
                    triggers / ofStock,
                    median(listener, Share::transactionsPerSecond),
                    failures(listener));
        }
        results.table(table);
        results.chart(Chart.bar(
                "Triggers of another processor",
                new Chart.Axis("listener", ""),
                new Chart.Axis("triggers", "1/s"),
                List.of(new Chart.Series(
                        "ports busy",
                        busy.keySet().stream()
                                .map(listener ->
                                        new Chart.Point(name(listener), median(listener, Share::triggersPerSecond)))
                                .toList()))));
        results.finish(
                String.format(
                        Locale.ROOT,
                        "Beside %d busy ports on %d threads another processor runs at %.2f × its rate beside the stock"
                                + " listener, while the ports take %.2f × as many transactions.",
                        ports,
                        pool,
                        median(Listener.NIO, Share::triggersPerSecond) / ofStock,
                        median(Listener.NIO, Share::transactionsPerSecond)
                                / median(Listener.STOCK, Share::transactionsPerSecond)),
                completion);
        return failures(Listener.NIO) == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private long failures(final Listener listener) {
        return busy.get(listener).stream().mapToLong(Share::failures).sum();
    }

    private double median(final Listener listener, final ToDoubleFunction<Share> value) {
        return median(busy, listener, value);
    }

    private static double median(
            final Map<Listener, List<Share>> shares, final Listener listener, final ToDoubleFunction<Share> value) {
        return Medians.median(shares.get(listener).stream().mapToDouble(value));
    }

    private static String name(final Listener listener) {
        return listener.name().toLowerCase(Locale.ROOT);
    }
}
