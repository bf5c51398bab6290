// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import io.netty.handler.ssl.SslContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.HdrHistogram.Histogram;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.ClientLoadGenerator;
import org.nios2s.harness.load.LoadGenerator;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.PacketFactory;
import org.nios2s.harness.load.PacketId;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.nifi.NifiLoadClient;
import org.nios2s.harness.load.nio.NioLoadClients;
import org.nios2s.harness.load.wire.LargeContent;
import org.nios2s.harness.load.wire.WireLoadClients;
import org.nios2s.harness.load.wire.WireProbe;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.nifi.Liveness;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.result.ObservedServer;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.Execution;
import org.nios2s.harness.result.RunResult.LedgerMetrics;
import org.nios2s.harness.result.RunResult.LoadMetrics;
import org.nios2s.harness.result.RunResult.Place;
import org.nios2s.harness.result.RunResult.ServerMetrics;
import org.nios2s.harness.sink.Parcel;
import org.nios2s.harness.target.Feed;
import org.nios2s.harness.target.MeasuredTarget;
import org.nios2s.harness.target.Target;

/** One load on one target, measured from both sides. Runs on the command's thread. */
public record LoadRun(Settings settings, MeasuredTarget nifi, boolean cold, ShutdownHook interruption) {

    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LEDGER_STILL = Duration.ofSeconds(1);
    /** Of what does not count only the queue has to be empty. */
    private static final Duration UNCOUNTED_STILL = Duration.ofMillis(100);
    /** A transaction that a client gave up may end at the server after its time-out. */
    private static final Duration FEED_STILL = Duration.ofSeconds(10);

    private static final Duration LEDGER_PATIENCE = Duration.ofSeconds(60);
    /** A transaction that takes longer counts as stuck. */
    private static final Duration STUCK = Duration.ofSeconds(1);

    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final double MICROS_PER_MILLI = TimeUnit.MILLISECONDS.toMicros(1);
    private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);
    private static final int SIGNIFICANT_DIGITS = 3;

    /** A run on a target that was warmed up. */
    public LoadRun(final Settings settings, final MeasuredTarget nifi, final ShutdownHook interruption) {
        this(settings, nifi, false, interruption);
    }

    /** Runs a load. */
    public Measured run(final Place place, final LoadSettings load) throws InterruptedException {
        final boolean pull = load.shape().direction() == Direction.PULL;
        final Target target = pull ? nifi.startSource(load.shape()) : nifi.target();
        try {
            return run(place, load, target, pull ? nifi.feed(load.shape()) : Optional.empty());
        } finally {
            if (pull && !hasEnded()) {
                nifi.feed(load.shape()).ifPresent(Feed::stop);
            }
        }
    }

    private Measured run(final Place place, final LoadSettings given, final Target target, final Optional<Feed> feed)
            throws InterruptedException {
        probe(target);
        final ObservedServer observed = observe();
        final LoadSettings load =
                given.over(target.tls() != null, given.connection().reconnect());
        final String run = PacketId.newRun();
        final Consumer<List<Parcel>> received =
                feed.map(from -> (Consumer<List<Parcel>>) from.ledger()::enter).orElse(parcels -> {});
        final LoadGenerator generator = generator(run, load, target, received);
        final List<Path> parcels = target.parcelFiles();
        final LedgerCheck ledger = parcels.isEmpty() ? null : LedgerCheck.before(parcels);
        final RunSampler watch = RunSampler.start(generator.recorder(), target.processes());
        final LoadOutcome outcome = drive(generator, load, target);
        watch.stop();
        final BooleanSupplier giveUp = () -> interruption.interrupted() || hasEnded();
        LedgerMetrics packets = null;
        if (feed.isPresent() && !hasEnded()) {
            feed.get().stop();
            packets = feed.get().settle(FEED_STILL, LEDGER_PATIENCE, giveUp);
            if (place.round() > 0) {
                feed.get().requireLeftOver();
            }
        } else if (ledger != null) {
            final LedgerCheck.Wait wait = new LedgerCheck.Wait(
                    place.round() == 0 ? UNCOUNTED_STILL : LEDGER_STILL,
                    LEDGER_PATIENCE,
                    giveUp,
                    nifi::hasQueuedFlowFiles,
                    watch::stillAtWork);
            packets = ledger.compare(outcome, load.shape().packets(), sent(run, load), wait);
        }
        if (!hasEnded() && !interruption.interrupted()) {
            observe();
        }
        // After the ledger: what a server has taken on and not yet worked off when the clients end is its cost, too.
        final long transactions = outcome.successes();
        final ServerMetrics server = watch.server(transactions);
        final Map<String, Double> probes = derived(outcome, packets, parcels);
        final RunResult result = new RunResult(
                place,
                load,
                new Execution(
                        outcome.run(),
                        client().name().toLowerCase(Locale.ROOT),
                        outcome.started(),
                        outcome.wall().toNanos() / NANOS_PER_SECOND,
                        outcome.window(),
                        interruption.interrupted() || hasEnded(),
                        cold,
                        observed),
                LoadMetrics.of(outcome, transactions),
                watch.generator(transactions),
                server,
                packets,
                watch.disturbance(),
                watch.series(),
                probes);
        final Measured measured = new Measured(result, outcome, watch.latencies());
        if (hasEnded() && !interruption.interrupted()) {
            throw new BrokenRunException(
                    "NiFi of %s, process %d, ended in mid-run, %.1f s after the first client began: see logs/nifi-app.log and the other logs of its home."
                            .formatted(
                                    place.column(),
                                    target.process().pid(),
                                    result.execution().seconds()),
                    measured);
        }
        return measured;
    }

    /** The server at the begin and at the end of a run: with another listener than its name says it is none. */
    private ObservedServer observe() {
        final ObservedServer seen = nifi.observe();
        final String expected = settings.text(Parameter.LISTENER);
        if (seen.contradicts(expected)) {
            throw new HarnessException(
                    "This is no run of the listener '%s': at %s the listener '%s' serves. Does logs/nifi-app.log of its home say why?"
                            .formatted(expected, nifi.target().address(), seen.listener()));
        }
        return seen;
    }

    /** A packet as the clients of a run send it. */
    private Function<PacketId, Parcel> sent(final String run, final LoadSettings load) {
        if (settings.flag(Parameter.LARGE)) {
            return id -> LargeContent.parcel(id.toString(), load.shape().size().largest());
        }
        return new PacketFactory(run, load.shape())::parcel;
    }

    private boolean hasEnded() {
        final ProcessHandle process = nifi.target().process();
        return process != null && !Liveness.isAlive(process);
    }

    private void probe(final Target target) throws InterruptedException {
        final Optional<String> refusal = WireProbe.ask(target.address(), WireTls.client(target.tls()), PROBE_TIMEOUT);
        if (refusal.isPresent() && !interruption.interrupted()) {
            throw new HarnessException(
                    "No transaction can begin at %s, port %s: %s. Does NiFi run there, is that its RAW Site-to-Site port, and does the port run?"
                            .formatted(target.address(), target.address().portId(), refusal.get()));
        }
    }

    private ClientKind client() {
        return settings.word(Parameter.CLIENT, ClientKind.class);
    }

    private LoadGenerator generator(
            final String run, final LoadSettings load, final Target target, final Consumer<List<Parcel>> received) {
        final SslContext tls = WireTls.client(target.tls());
        return switch (client()) {
            case NIFI ->
                new ClientLoadGenerator(
                        run,
                        load,
                        () -> NifiLoadClient.transport(run, load, target.address(), target.sslContext()),
                        received);
            case NIO ->
                new ClientLoadGenerator(
                        run,
                        load,
                        () -> new NioLoadClients(run, load, target.address(), target.sslContext()),
                        received);
            case WIRE -> {
                final boolean large = settings.flag(Parameter.LARGE);
                yield new ClientLoadGenerator(
                        run, load, () -> new WireLoadClients(run, load, target.addresses(), tls, large), received);
            }
            case MINIFI ->
                new ClientLoadGenerator(
                        run, load, () -> WireLoadClients.asMinifi(run, load, target.addresses(), tls), received);
        };
    }

    private LoadOutcome drive(final LoadGenerator generator, final LoadSettings load, final Target target)
            throws InterruptedException {
        interruption.during(generator);
        final CompletableFuture<Void> onServerEnd = target.process() == null
                ? CompletableFuture.completedFuture(null)
                : target.process().onExit().thenRun(generator::stop);
        try {
            return generator.drive();
        } finally {
            onServerEnd.cancel(false);
            interruption.ended(generator);
        }
    }

    /** Metrics that follow from what was measured anyway. */
    private static Map<String, Double> derived(
            final LoadOutcome outcome, final LedgerMetrics packets, final List<Path> parcels) {
        final Map<String, Double> metrics = new TreeMap<>();
        final Histogram total = outcome.histograms().get(Phase.TOTAL);
        if (total != null && total.getTotalCount() > 0) {
            metrics.put("deviation", total.getStdDeviation() / MICROS_PER_MILLI);
            final long limit = TimeUnit.NANOSECONDS.toMicros(STUCK.toNanos());
            final long most = total.getMaxValue();
            metrics.put("stuck", most <= limit ? 0.0 : total.getCountBetweenValues(limit + 1, most));
        }
        final Histogram connecting = new Histogram(SIGNIFICANT_DIGITS);
        outcome.clients().stream()
                .filter(stats -> stats.successes() > 0)
                .forEach(stats -> connecting.recordValue(stats.connectMicros()));
        final double clients = connecting.getTotalCount();
        if (clients > 0) {
            metrics.put("connect", connecting.getMean() / MICROS_PER_MILLI);
            // Of a sample, which few clients are.
            final double sample = Math.sqrt(clients / Math.max(1, clients - 1));
            metrics.put("connect-deviation", sample * connecting.getStdDeviation() / MICROS_PER_MILLI);
        }
        if (packets != null && packets.arrived() > 0 && !parcels.isEmpty()) {
            metrics.put("arrived", packets.arrived() / secondsToTheLast(outcome, parcels));
        }
        return metrics;
    }

    /** Until the sink had the last packet, which may be long after the clients had ended. */
    private static double secondsToTheLast(final LoadOutcome outcome, final List<Path> parcels) {
        double seconds = outcome.wall().toNanos() / NANOS_PER_SECOND;
        for (final Path file : parcels) {
            final Instant last = HarnessException.attempt(
                    e -> "Cannot read when the sink's parcels were written last: " + file,
                    () -> Files.getLastModifiedTime(file).toInstant());
            seconds =
                    Math.max(seconds, Duration.between(outcome.started(), last).toMillis() / MILLIS_PER_SECOND);
        }
        return seconds;
    }
}
