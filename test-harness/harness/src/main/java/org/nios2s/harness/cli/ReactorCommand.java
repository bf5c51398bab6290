// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.nios2s.harness.cli.EmbeddedOptions.Variant;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.ClientTally;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.Moments;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LoadScenario;
import org.nios2s.harness.scenario.LoadScenario.Measured;
import org.nios2s.harness.scenario.MeasuredNifi;
import org.nios2s.harness.scenario.NullNifi;
import org.nios2s.harness.scenario.SteppedScenario;
import org.nios2s.harness.scenario.SteppedScenario.Step;
import org.nios2s.harness.scenario.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A fixed number of requests over few to many connections, with NiFi's repositories behind the listener and without.
 * Runs on the main thread.
 */
@Command(
        name = "reactor",
        description = {
            "A fixed number of requests in all, over 1 to 32 connections: requests per second in all and per"
                    + " connection,",
            "average time of a request and of connecting, their variance and standard deviation.",
            "On NiFi with its repositories, and on either listener in a process of its own in front of a port that"
                    + " keeps",
            "nothing: the engine alone. A request is a push transaction."
        },
        footer = "Exit code: 0 no failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ReactorCommand implements Callable<Integer> {

    /** Requests per second of a single-reactor server with type-length-value messages on loopback, by clients. */
    private static final Map<Integer, Integer> PUBLISHED = Map.of(1, 21_423, 5, 67_765, 16, 32_574, 32, 7_924);

    private static final String PUBLISHED_NAME = "single-reactor server, published";
    private static final int MAX_CONNECTIONS = 1_000;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--connections",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,2,3,4,5,8,16,32",
            description = "Connections of each row, separated by commas; default: ${DEFAULT-VALUE}.")
    private List<Integer> connections;

    @Option(
            names = "--requests",
            paramLabel = "N",
            defaultValue = "2500",
            description = "Requests in all of a row, with NiFi's repositories; default: ${DEFAULT-VALUE}.")
    private int requests;

    @Option(
            names = "--null-requests",
            paramLabel = "N",
            defaultValue = "50000",
            description = "Requests in all of a row, with the null sink; default: ${DEFAULT-VALUE}.")
    private int nullRequests;

    @Option(
            names = "--sink",
            split = ",",
            defaultValue = "nifi,null",
            description = "What is behind the listener, separated by commas: ${COMPLETION-CANDIDATES}; default:"
                    + " ${DEFAULT-VALUE}.")
    private Set<Sink> sinks = new LinkedHashSet<>();

    @Option(
            names = "--packets",
            paramLabel = "P",
            defaultValue = "1",
            description = "Packets per request; default: ${DEFAULT-VALUE}.")
    private int packets;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "10",
            description = "Content of a packet; default: ${DEFAULT-VALUE}.")
    private int size;

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
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "How long each target is driven flat out before it counts; default: ${DEFAULT-VALUE}.")
    private Duration warmup;

    @Mixin
    private JvmOptions jvm;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<String, Map<Integer, Row>> rows = new LinkedHashMap<>();

    /** What takes the requests. A constant, any thread. */
    enum Sink {
        /** NiFi with its repositories. */
        NIFI,
        /** Nothing: what the listener hands over is dropped. */
        NULL
    }

    /**
     * A row of one target.
     *
     * @param perSecond  requests per second in all
     * @param request    time of a request, ms
     * @param connection time of connecting and of all handshakes, ms
     */
    private record Row(double perSecond, Moments request, Moments connection) {}

    @Override
    public Integer call() throws InterruptedException {
        check();
        final List<Supplier<MeasuredNifi>> subjects = subjects();
        return Measuring.run(
                results, interruption -> measure(subjects, interruption), this::verdict, results::flawless);
    }

    private void check() {
        for (final int count : connections) {
            if (count < 1 || count > MAX_CONNECTIONS) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--connections must be between 1 and %d, not %d".formatted(MAX_CONNECTIONS, count));
            }
            if (requests < count || nullRequests < count) {
                throw new ParameterException(
                        spec.commandLine(),
                        "%d connections need as many requests at least; there are %d and %d"
                                .formatted(count, requests, nullRequests));
            }
        }
        if (embedded.secure()) {
            throw new ParameterException(spec.commandLine(), "reactor measures plain TCP: it has no --secure");
        }
    }

    private List<Supplier<MeasuredNifi>> subjects() {
        targets.refuseCluster();
        final List<Supplier<MeasuredNifi>> usual = targets.subjects(embedded, ClientKind.WIRE);
        if (targets.running()) {
            return usual;
        }
        final List<Supplier<MeasuredNifi>> subjects = new ArrayList<>();
        for (final Listener listener : targets.listeners()) {
            final String name = listener.name().toLowerCase(Locale.ROOT);
            if (sinks.contains(Sink.NIFI)) {
                final Variant variant = new Variant("", false, Map.of(), jvm.arguments(name));
                subjects.add(() -> embedded.start(listener, variant));
            }
            if (sinks.contains(Sink.NULL)) {
                final List<String> arguments = new ArrayList<>(embedded.jvmArguments());
                arguments.addAll(jvm.arguments(name + "-null"));
                subjects.add(() -> NullNifi.start(listener, embedded.portTasks(), embedded.properties(), arguments));
            }
        }
        return subjects;
    }

    private void measure(final List<Supplier<MeasuredNifi>> subjects, final Interruption interruption)
            throws InterruptedException {
        final SteppedScenario scenario =
                new SteppedScenario(new LoadScenario(ClientKind.WIRE, interruption), interruption, this::keep);
        try (OpenNifis nifis = OpenNifis.of(subjects)) {
            final List<Step> steps = connections.stream().map(this::step).toList();
            final int most =
                    connections.stream().mapToInt(Integer::intValue).max().orElseThrow();
            scenario.warmUp(load(most, most), warmup, nifis.targets());
            scenario.run(steps, nifis.targets());
        }
    }

    private Step step(final int count) {
        return new Step(
                "%03d-connections".formatted(count),
                target -> load(count, target.name().endsWith(NullNifi.SUFFIX) ? nullRequests : requests));
    }

    private LoadSettings load(final int count, final int requestsInAll) {
        return new LoadSettings(
                count, requestsInAll / count, Duration.ZERO, packets, size, Duration.ZERO, Duration.ZERO, timeout);
    }

    private void keep(final Step step, final Target target, final Measured run) {
        results.add(Words.fileName(step.name() + "-" + target.name()), run);
        final int count = run.result().settings().clients();
        final Row row = new Row(
                run.result().transactionsPerSecond(),
                Moments.ofMillis(run.outcome().histograms().get(Phase.TOTAL)),
                Moments.of(run.outcome().clients().stream()
                        .mapToDouble(ClientTally::connectMillis)
                        .toArray()));
        rows.computeIfAbsent(target.name(), name -> new LinkedHashMap<>()).put(count, row);
        results.say("%s, %d connections: %,.0f requests/s", target.name(), count, row.perSecond());
    }

    private String verdict() {
        results.table(besidePublished());
        rows.forEach((name, byCount) -> results.table(details(name, byCount)));
        results.chart(chart("Requests per second", "requests in all", "requests/s", Row::perSecond, true));
        results.chart(chart(
                "Standard deviation of a request",
                "standard deviation",
                "ms",
                row -> row.request().deviation(),
                false));
        final List<String> best = new ArrayList<>();
        rows.forEach((name, byCount) -> byCount.entrySet().stream()
                .max(Map.Entry.comparingByValue((one, other) -> Double.compare(one.perSecond(), other.perSecond())))
                .ifPresent(entry -> best.add(Words.of(
                        "%s: up to %,.0f requests/s, with %d connections",
                        name, entry.getValue().perSecond(), entry.getKey()))));
        return String.join("; ", best) + ".";
    }

    private DataTable besidePublished() {
        final List<Column> columns = new ArrayList<>();
        columns.add(Column.of("connections"));
        columns.add(Column.of(PUBLISHED_NAME, "requests/s", 0));
        rows.keySet().forEach(name -> columns.add(Column.of(name, "requests/s", 0)));
        DataTable table = DataTable.of("Requests per second, all connections together", columns.toArray(Column[]::new));
        for (final int count : connections) {
            final List<Object> cells = new ArrayList<>();
            cells.add(count);
            cells.add(PUBLISHED.get(count));
            rows.values()
                    .forEach(byCount -> cells.add(
                            byCount.containsKey(count) ? byCount.get(count).perSecond() : null));
            table = table.row(cells.toArray());
        }
        return table.noted(Words.of(
                "A request here is a whole push transaction of %d packet(s) of %d bytes: two round trips with a"
                        + " checksum. In the published server it is one message and its answer, on another machine.",
                packets, size));
    }

    private static DataTable details(final String name, final Map<Integer, Row> byCount) {
        DataTable table = DataTable.of(
                name,
                Column.of("connections"),
                Column.of("in all", "requests/s", 0),
                Column.of("per connection", "requests/s", 0),
                Column.of("request average", "ms", 3),
                Column.of("variance", "ms²", 3),
                Column.of("standard deviation", "ms", 3),
                Column.of("connecting average", "ms", 3),
                Column.of("its variance", "ms²", 3),
                Column.of("its standard deviation", "ms", 3));
        for (final Map.Entry<Integer, Row> entry : byCount.entrySet()) {
            final Row row = entry.getValue();
            table = table.row(
                    entry.getKey(),
                    row.perSecond(),
                    row.perSecond() / entry.getKey(),
                    row.request().mean(),
                    row.request().variance(),
                    row.request().deviation(),
                    row.connection().mean(),
                    row.connection().variance(),
                    row.connection().deviation());
        }
        return table.noted("Connecting includes the handshake of Site-to-Site and the codec, as far as they are.");
    }

    private Chart chart(
            final String title,
            final String what,
            final String unit,
            final ToDoubleFunction<Row> value,
            final boolean published) {
        final List<Chart.Series> series = new ArrayList<>();
        rows.forEach((name, byCount) -> series.add(Chart.Series.of(
                name,
                byCount.keySet().stream().mapToDouble(Integer::doubleValue).toArray(),
                byCount.values().stream().mapToDouble(value).toArray())));
        if (published) {
            final int[] counts = PUBLISHED.keySet().stream()
                    .mapToInt(Integer::intValue)
                    .sorted()
                    .toArray();
            series.add(Chart.Series.of(
                    PUBLISHED_NAME,
                    Arrays.stream(counts).asDoubleStream().toArray(),
                    Arrays.stream(counts).mapToDouble(PUBLISHED::get).toArray()));
        }
        return Chart.line(title, new Chart.Axis("connections", "connections"), new Chart.Axis(what, unit), series);
    }
}
