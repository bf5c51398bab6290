// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.cli.EmbeddedOptions.Variant;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.ProcessUsage;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.scenario.EmbeddedNifi;
import org.nios2s.harness.scenario.ForwardingNifi;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LoadScenario;
import org.nios2s.harness.scenario.LoadScenario.Measured;
import org.nios2s.harness.scenario.MeasuredNifi;
import org.nios2s.harness.scenario.SteppedScenario;
import org.nios2s.harness.scenario.Target;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Events handed over to the next hop, flat out and at a fixed rate, directly and by way of a NiFi that stores them.
 * Runs on the main thread.
 */
@Command(
        name = "handoff",
        description = {
            "Hands events (packets, 100 per transaction) over to NiFi: flat out and at 30,000 events per second,"
                    + " events of",
            "1 and of 512 bytes; events per second and the processor time of sender and receiver.",
            "Directly, and stored and forwarded: into a NiFi whose Remote Process Group passes them on to the receiver."
        },
        footer = "Exit code: 0 no failure and an exact ledger, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class HandoffCommand implements Callable<Integer> {

    private static final double PERCENT = 100;
    private static final int WARM_UP_PART = 5;
    private static final int MAX_RATE = 10_000_000;
    private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--sizes",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "1,512",
            description = "Content of an event, separated by commas; default: ${DEFAULT-VALUE}.")
    private List<Integer> sizes;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "10",
            description = "Connections that events are handed over by; default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(
            names = "--batch",
            paramLabel = "P",
            defaultValue = "100",
            description = "Events of a transaction; default: ${DEFAULT-VALUE}.")
    private int batch;

    @Option(
            names = "--pace",
            split = ",",
            defaultValue = "flat_out,fixed",
            description = "Separated by commas: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private Set<Pace> paces = new LinkedHashSet<>();

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "30000",
            description = "Events per second of the fixed pace; default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(
            names = "--route",
            split = ",",
            defaultValue = "direct,stored",
            description = "Separated by commas: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private Set<Route> routes = new LinkedHashSet<>();

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "Of each run; default: ${DEFAULT-VALUE}.")
    private Duration duration;

    @Option(
            names = "--stored-events",
            paramLabel = "N",
            defaultValue = "30000",
            description = "Events of a run that is stored and forwarded; default: ${DEFAULT-VALUE}.")
    private int storedEvents;

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
            description = "How long each receiver is driven flat out before it counts; default: ${DEFAULT-VALUE}.")
    private Duration warmup;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final List<Row> rows = new ArrayList<>();

    /** How fast events come. A constant, any thread. */
    enum Pace {
        /** As fast as they are taken. */
        FLAT_OUT("flat out"),
        /** So many per second. */
        FIXED("fixed rate");

        private final String words;

        Pace(final String words) {
            this.words = words;
        }
    }

    /** How events get to the receiver. A constant, any thread. */
    enum Route {
        /** Confirmed only when the receiver has them. */
        DIRECT("direct"),
        /** Confirmed when a NiFi in between has stored them. */
        STORED("stored and forwarded");

        private final String words;

        Route(final String words) {
            this.words = words;
        }
    }

    /** What is run. */
    private record Case(Route route, Pace pace, int size, Target target) {

        String label() {
            return Words.fileName(
                    "%s-%s-%d-%s".formatted(route, pace, size, target.name()).toLowerCase(Locale.ROOT));
        }
    }

    /**
     * What came of it.
     *
     * @param of              what was run
     * @param eventsPerSecond events that the receiver had at the end, by the time until it had the last
     * @param p99Millis       of a transaction, from its intended start when there is a pace; null when none ended
     * @param senderPercent   processor time of the generator, in percent of one processor
     * @param forwarderPercent of the NiFi in between, null when there is none
     * @param receiverPercent of the receiver, null when its process is not at hand
     * @param failures        failed transactions
     */
    private record Row(
            Case of,
            double eventsPerSecond,
            Double p99Millis,
            double senderPercent,
            Double forwarderPercent,
            Double receiverPercent,
            long failures) {}

    @Override
    public Integer call() throws InterruptedException {
        check();
        final List<Supplier<MeasuredNifi>> subjects = targets.subjects(embedded, ClientKind.WIRE);
        return Measuring.run(
                results, interruption -> measure(subjects, interruption), this::verdict, results::flawless);
    }

    private void check() {
        if (rate < 1 || rate > MAX_RATE) {
            throw usage("--rate must be between 1 and %d, not %d".formatted(MAX_RATE, rate));
        }
        if (targets.running() || targets.cluster()) {
            // It needs a NiFi in between that can be told where to forward to.
            routes.remove(Route.STORED);
        }
        if (duration.isZero() || storedEvents < (long) batch * clients) {
            throw usage(
                    "--duration must be longer than 0, and --stored-events at least the %d of a transaction per client"
                            .formatted((long) batch * clients));
        }
        if (embedded.secure() && routes.contains(Route.STORED)) {
            throw usage("--route stored is for plain TCP: use --route direct with --secure");
        }
        try {
            sizes.forEach(size -> {
                flatOut(size);
                paced(size);
            });
        } catch (final IllegalArgumentException e) {
            throw usage(e.getMessage());
        }
    }

    private void measure(final List<Supplier<MeasuredNifi>> subjects, final Interruption interruption)
            throws InterruptedException {
        final LoadScenario scenario = new LoadScenario(ClientKind.WIRE, interruption);
        try (OpenNifis nifis = OpenNifis.of(subjects)) {
            if (!targets.running()) {
                new SteppedScenario(scenario, interruption, (step, target, run) -> {})
                        .warmUp(flatOut(sizes.getFirst()), warmup, nifis.targets());
            }
            if (routes.contains(Route.DIRECT)) {
                runAll(scenario, interruption, Route.DIRECT, nifis.targets(), null);
            }
            if (routes.contains(Route.STORED) && !interruption.interrupted()) {
                forward(scenario, interruption, nifis);
            }
        }
    }

    private void forward(final LoadScenario scenario, final Interruption interruption, final OpenNifis receivers)
            throws InterruptedException {
        final Variant variant = new Variant("sender", false, Map.of(), List.of());
        try (ForwardingNifi sender =
                new ForwardingNifi(embedded.start(Listener.STOCK, variant), embedded.portTasks())) {
            final List<Target> ways = receivers.nifis().stream()
                    .map(EmbeddedNifi.class::cast)
                    .map(sender::wayTo)
                    .toList();
            for (final Target way : ways) {
                scenario.run(stored(flatOut(sizes.getFirst()), storedEvents / WARM_UP_PART), way);
            }
            runAll(scenario, interruption, Route.STORED, ways, sender.process());
        }
    }

    private void runAll(
            final LoadScenario scenario,
            final Interruption interruption,
            final Route route,
            final List<Target> all,
            final ProcessHandle forwarder)
            throws InterruptedException {
        for (final Pace pace : paces) {
            for (final int size : sizes) {
                for (final Target target : all) {
                    if (!interruption.interrupted()) {
                        run(scenario, new Case(route, pace, size, target), forwarder);
                    }
                }
            }
        }
    }

    private void run(final LoadScenario scenario, final Case of, final ProcessHandle forwarder)
            throws InterruptedException {
        final Duration before =
                forwarder == null ? Duration.ZERO : ProcessUsage.of(forwarder).cpu();
        final Measured measured =
                scenario.run(load(of), of.target(), forwarder == null ? List.of() : List.of(forwarder));
        final RunResult run = results.add(of.label(), measured);
        final double seconds = secondsToTheLastEvent(run, of.target().packetIds());
        final Double forwarderMillis = forwarder == null
                ? null
                : (double) ProcessUsage.of(forwarder).cpu().minus(before).toMillis();
        final Phase phase = of.pace() == Pace.FIXED ? Phase.RESPONSE : Phase.TOTAL;
        final boolean timed = run.latencyMillis().get(phase).count() > 0;
        final long events =
                run.ledger() == null ? run.transactions() * batch : run.ledger().arrived();
        final Row row = new Row(
                of,
                events / seconds,
                timed ? run.latencyMillis().get(phase).p99() : null,
                percent(run.generator().cpuMillisPerTransaction() * run.transactions(), seconds),
                forwarderMillis == null ? null : percent(forwarderMillis, seconds),
                run.server() == null ? null : percent(run.server().cpuMillis(), seconds),
                run.failures());
        rows.add(row);
        results.say(
                "%s, %s, %d bytes, %s: %,.0f events/s, %d failures",
                of.route().words,
                of.pace().words,
                of.size(),
                of.target().name(),
                row.eventsPerSecond(),
                row.failures());
    }

    private LoadSettings load(final Case of) {
        final LoadSettings load = of.pace() == Pace.FIXED ? paced(of.size()) : flatOut(of.size());
        // By number, not by time: what the NiFi in between has stored has to be worked off before the next run.
        return of.route() == Route.STORED ? stored(load, storedEvents) : load;
    }

    private LoadSettings stored(final LoadSettings load, final int events) {
        return load.withTransactions(Math.max(1, events / batch / clients));
    }

    private LoadSettings flatOut(final int size) {
        return new LoadSettings(
                clients, LoadSettings.UNLIMITED, duration, batch, size, Duration.ZERO, Duration.ZERO, timeout);
    }

    /** Clients take turns: the pace is even. */
    private LoadSettings paced(final int size) {
        final Duration interval = Duration.ofNanos(TimeUnit.SECONDS.toNanos(1) * clients * batch / rate);
        return new LoadSettings(
                clients, LoadSettings.UNLIMITED, duration, batch, size, interval, interval.dividedBy(clients), timeout);
    }

    /** Until the receiver's ledger was written last, which may be long after the last transaction. */
    private static double secondsToTheLastEvent(final RunResult run, final Path packetIds) {
        if (packetIds == null || !Files.exists(packetIds)) {
            return run.seconds();
        }
        try {
            final Duration toLast = Duration.between(
                    run.started(), Files.getLastModifiedTime(packetIds).toInstant());
            return Math.max(run.seconds(), toLast.toMillis() / MILLIS_PER_SECOND);
        } catch (final IOException e) {
            throw new HarnessException("Cannot read when the sink's packet ids were written last: " + packetIds, e);
        }
    }

    private static double percent(final double cpuMillis, final double seconds) {
        return cpuMillis / MILLIS_PER_SECOND / seconds * PERCENT;
    }

    private String verdict() {
        DataTable table = DataTable.of(
                "Events handed over",
                Column.of("route, pace, size, listener"),
                Column.of("events", "1/s", 0),
                Column.of("transaction p99", "ms", 1),
                Column.of("sender CPU", "%", 1),
                Column.of("NiFi in between CPU", "%", 1),
                Column.of("receiver CPU", "%", 1),
                Column.of("failed transactions"));
        for (final Row row : rows) {
            table = table.row(
                    name(row.of()),
                    row.eventsPerSecond(),
                    row.p99Millis(),
                    row.senderPercent(),
                    row.forwarderPercent(),
                    row.receiverPercent(),
                    row.failures());
        }
        results.table(
                table.noted("CPU in percent of one processor, while the run lasts and until the receiver has worked"
                        + " everything off, divided by the time until it had the last event."));
        results.table(published());
        results.chart(chart());
        return rows.isEmpty() ? "Nothing was handed over." : sentence();
    }

    private static String name(final Case of) {
        return "%s, %s, %d bytes, %s"
                .formatted(
                        of.route().words,
                        of.pace().words,
                        of.size(),
                        of.target().name());
    }

    /** What the synchronous and the file channel of Flume were measured with. */
    private static DataTable published() {
        return DataTable.of(
                        "Published for Flume, two machines of 2 processors",
                        Column.of("pace, size"),
                        Column.of("synchronous channel", "events/s", 0),
                        Column.of("file channel", "events/s", 0),
                        Column.of("synchronous: sender CPU", "%", 1),
                        Column.of("file: sender CPU", "%", 1))
                .row("flat out, 1 byte", 92_753, 48_751, 2.6, null)
                .row("flat out, 512 bytes", 66_258, 35_998, null, null)
                .row("fixed rate, 1 byte", 30_000, 30_000, 0.9, 18.6)
                .row("fixed rate, 512 bytes", 30_000, 30_000, 5.3, 28.2)
                .noted("The synchronous channel confirms when the next hop has the event, as the direct route does;"
                        + " the file channel stores it in between.");
    }

    private Chart chart() {
        final List<Chart.Series> series = new ArrayList<>();
        rows.stream()
                .map(row -> row.of().target().name())
                .distinct()
                .forEach(listener -> series.add(new Chart.Series(
                        listener,
                        rows.stream()
                                .filter(row -> row.of().target().name().equals(listener))
                                .map(row -> new Chart.Point(
                                        "%s, %s, %d B"
                                                .formatted(
                                                        row.of().route() == Route.DIRECT ? "direct" : "stored",
                                                        row.of().pace().words,
                                                        row.of().size()),
                                        row.eventsPerSecond()))
                                .toList())));
        return Chart.bar(
                "Events per second", new Chart.Axis("route and pace", "case"), new Chart.Axis("events", "1/s"), series);
    }

    private String sentence() {
        final List<String> parts = new ArrayList<>();
        for (final Row row : rows) {
            if (row.of().pace() == Pace.FLAT_OUT) {
                parts.add(Words.of("%s: %,.0f events/s", name(row.of()), row.eventsPerSecond()));
            } else if (row.eventsPerSecond() < rate * (1 - 1 / PERCENT)) {
                parts.add(Words.of("%s: %,.0f of %,d events/s reached", name(row.of()), row.eventsPerSecond(), rate));
            }
        }
        return String.join("; ", parts) + ".";
    }

    private ParameterException usage(final String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
