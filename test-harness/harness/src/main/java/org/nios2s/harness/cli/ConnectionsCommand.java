// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.OpenFileLimit;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.Figure;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.scenario.EmbeddedNifi;
import org.nios2s.harness.scenario.IdleConnectionsScenario;
import org.nios2s.harness.scenario.IdleConnectionsScenario.Idle;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LoadScenario;
import org.nios2s.harness.scenario.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What many connections cost each listener: taken at once, idle, and with a transaction now and then.
 * Runs on the main thread.
 */
@Command(
        name = "connections",
        description = {
            "Connects many peers at once, measures what they cost while they are idle, then has as many clients send a"
                    + " transaction now and then.",
            "The stock listener gets fewer of them: each holds a thread. With --secure they speak TLS."
        },
        footer =
                "Exit code: 0 every connection was served and the ledger is exact with NIO, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ConnectionsCommand implements Callable<Integer> {

    private static final int PACKETS = 5;
    private static final int PACKET_BYTES = 10;
    private static final int WARM_UP_CLIENTS = 100;
    private static final double KIBIBYTE = 1024;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--connections",
            paramLabel = "N",
            defaultValue = "5000",
            description = "Connections of the NIO listener; default: ${DEFAULT-VALUE}.")
    private int connections;

    @Option(
            names = "--stock-connections",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Connections of the stock listener, 0 to leave it out; default: ${DEFAULT-VALUE}.")
    private int stockConnections;

    @Option(
            names = "--accept-rate",
            paramLabel = "N",
            defaultValue = "5000",
            description = "Idle peers that connect in each second; default: ${DEFAULT-VALUE}.")
    private int acceptRate;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = DurationConverter.class,
            description = "Between the transactions of a client; default: ${DEFAULT-VALUE}.")
    private Duration interval;

    @Option(
            names = "--stagger",
            paramLabel = "TIME",
            defaultValue = "2ms",
            converter = DurationConverter.class,
            description = "Between the starts of two clients that send; default: ${DEFAULT-VALUE}.")
    private Duration stagger;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "30s",
            converter = DurationConverter.class,
            description =
                    "How long the clients send after all have started, 0s for not at all; default: ${DEFAULT-VALUE}.")
    private Duration duration;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = DurationConverter.class,
            description = "How long a client waits for the server in any step; default: ${DEFAULT-VALUE}.")
    private Duration timeout;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "How long each NiFi is driven flat out before it counts; default: ${DEFAULT-VALUE}.")
    private Duration warmup;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<String, Idle> idle = new LinkedHashMap<>();

    @Override
    public Integer call() throws InterruptedException {
        check();
        // In RAM from the start, so that what connections add in RAM is not the heap.
        embedded.jvmArgument("-XX:+AlwaysPreTouch");
        results.prepare();
        try (Interruption interruption = Interruption.install()) {
            if (stockConnections > 0) {
                measure(Listener.STOCK, stockConnections, interruption);
            }
            if (!interruption.interrupted()) {
                measure(Listener.NIO, connections, interruption);
            }
            return report(Completion.of(interruption.interrupted()));
        }
    }

    private void check() {
        if (connections < 1 || stockConnections < 0 || acceptRate < 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--connections and --accept-rate must be 1 or more, --stock-connections 0 or more");
        }
        try {
            OpenFileLimit.check(Math.max(connections, stockConnections), ClientKind.WIRE);
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** One NiFi at a time: the memory of thousands of connections would be in the way of the other. */
    private void measure(final Listener listener, final int count, final Interruption interruption)
            throws InterruptedException {
        try (EmbeddedNifi nifi = embedded.start(listener)) {
            final Target target = nifi.target();
            final LoadScenario scenario = new LoadScenario(ClientKind.WIRE, interruption);
            scenario.run(settings(WARM_UP_CLIENTS).flatOutFor(warmup), target);
            final Idle measured = new IdleConnectionsScenario().run(target, count, acceptRate);
            idle.put(target.name(), measured);
            results.say(
                    "%s: %,d of %,d connected in %.1f s",
                    target.name(),
                    measured.attendance().ready(),
                    count,
                    measured.attendance().seconds());
            if (!duration.isZero() && !interruption.interrupted()) {
                results.add(target.name(), scenario.run(settings(count), target));
            }
        }
    }

    private LoadSettings settings(final int clients) {
        return new LoadSettings(
                clients,
                LoadSettings.UNLIMITED,
                stagger.multipliedBy(clients).plus(duration.isZero() ? Duration.ofSeconds(1) : duration),
                PACKETS,
                PACKET_BYTES,
                interval,
                stagger,
                timeout);
    }

    private int report(final Completion completion) {
        DataTable table = DataTable.of(
                        "Idle connections" + (embedded.secure() ? ", TLS" : ""),
                        Column.of("listener"),
                        Column.of("connections"),
                        Column.of("refused or dropped"),
                        Column.of("all there after", "s", 2),
                        Column.of("longest", "ms", 0),
                        Column.of("heap of each", "KiB", 1),
                        Column.of("native memory of each", "KiB", 1),
                        Column.of("together", "KiB", 1),
                        Column.of("threads added"))
                .noted(
                        "Heap after a collection; native memory is what RSS grew by, the heap being in RAM from the start.");
        for (final Map.Entry<String, Idle> entry : idle.entrySet()) {
            final Idle measured = entry.getValue();
            table = table.row(
                    entry.getKey(),
                    measured.attendance().peers(),
                    measured.attendance().refused() + measured.attendance().dropped(),
                    measured.attendance().seconds(),
                    measured.attendance().longestMillis(),
                    measured.heapBytes() / KIBIBYTE,
                    measured.nativeBytes() / KIBIBYTE,
                    together(measured),
                    measured.threads());
            measured.attendance()
                    .causes()
                    .forEach((cause, count) ->
                            results.remark(String.format(Locale.ROOT, "%s: %,d × %s", entry.getKey(), count, cause)));
        }
        results.table(table);
        if (!results.runs().isEmpty()) {
            results.table(sending());
        }
        results.chart(chart());
        results.finish(verdict(), completion);
        return flawless() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private DataTable sending() {
        DataTable table = DataTable.of(
                "As many clients that send",
                Column.of("listener"),
                Column.of("clients"),
                Column.of("tx/s"),
                Column.of("failures"),
                Column.of("total p50", "ms", 1),
                Column.of("total p99", "ms", 1),
                Column.of("RSS added for each", "KiB", 1),
                Column.of("most threads"),
                Column.of("lost or duplicated packets"));
        for (final RunResult run : results.runs()) {
            final long before = idle.get(run.listener()).before().residentBytes();
            table = table.row(
                    run.listener(),
                    run.settings().clients(),
                    run.transactionsPerSecond(),
                    run.failures(),
                    Figure.TOTAL_P50.of(run).isPresent()
                            ? Figure.TOTAL_P50.of(run).getAsDouble()
                            : null,
                    Figure.TOTAL_P99.of(run).isPresent()
                            ? Figure.TOTAL_P99.of(run).getAsDouble()
                            : null,
                    (run.server().maxResidentBytes() - before)
                            / KIBIBYTE
                            / run.settings().clients(),
                    run.server().maxThreads(),
                    run.ledger() == null
                            ? null
                            : run.ledger().lost() + run.ledger().duplicated());
            run.failuresByCause()
                    .forEach((cause, count) -> results.remark(
                            String.format(Locale.ROOT, "%s failed: %,d × %s", run.listener(), count, cause)));
        }
        return table;
    }

    private Chart chart() {
        return Chart.bar(
                "Memory of an idle connection",
                new Chart.Axis("listener", ""),
                new Chart.Axis("memory", "KiB"),
                List.of(
                        new Chart.Series("heap", points(measured -> measured.heapBytes() / KIBIBYTE)),
                        new Chart.Series("native", points(measured -> measured.nativeBytes() / KIBIBYTE))));
    }

    private List<Chart.Point> points(final ToDoubleFunction<Idle> value) {
        return idle.entrySet().stream()
                .map(entry -> new Chart.Point(entry.getKey(), value.applyAsDouble(entry.getValue())))
                .toList();
    }

    private String verdict() {
        final Idle nio = idle.get("nio");
        if (nio == null) {
            return "Nothing was measured on the NIO listener.";
        }
        return String.format(
                Locale.ROOT,
                "The NIO listener took %,d of %,d connections in %.1f s; an idle one costs %.1f KiB and no thread of its own.",
                nio.attendance().ready(),
                nio.attendance().peers(),
                nio.attendance().seconds(),
                together(nio));
    }

    private boolean flawless() {
        final Idle nio = idle.get("nio");
        return nio != null
                && nio.attendance().present() == nio.attendance().peers()
                && results.runs().stream()
                        .filter(run -> run.listener().equals("nio"))
                        .allMatch(RunResult::flawless);
    }

    private static double together(final Idle measured) {
        return (measured.heapBytes() + measured.nativeBytes()) / KIBIBYTE;
    }
}
