// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadDriver;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.RunName;
import org.nios2s.harness.load.nio.NioLoadDriver;
import org.nios2s.harness.load.stock.StockLoadDriver;
import org.nios2s.harness.load.wire.WireLoadDriver;
import org.nios2s.harness.load.wire.WireProbe;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.result.LatencyLog;
import org.nios2s.harness.result.LatencySummary;
import org.nios2s.harness.result.LedgerFigures;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.ServerFigures;

/**
 * One load on one target, measured on both sides and checked against the ledger. Runs on the command's thread.
 */
public final class LoadScenario {

    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration LEDGER_STILL = Duration.ofSeconds(2);
    private static final Duration LEDGER_PATIENCE = Duration.ofSeconds(60);
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final int connections;
    private final ClientKind client;
    private final Interruption interruption;

    /**
     * A scenario for any number of runs.
     *
     * @param client       what makes the load
     * @param interruption ends a run early
     */
    public LoadScenario(final ClientKind client, final Interruption interruption) {
        this(client, interruption, LoadSettings.MAX_CLIENTS);
    }

    /**
     * A scenario whose clients may have to share connections.
     *
     * @param client       what makes the load
     * @param interruption ends a run early
     * @param connections  most connections at a time, of {@link ClientKind#NIO} only
     */
    public LoadScenario(final ClientKind client, final Interruption interruption, final int connections) {
        this.connections = connections;
        this.client = client;
        this.interruption = interruption;
    }

    /**
     * What a run gave.
     *
     * @param result    every figure
     * @param outcome   what each client did
     * @param latencies all times, second by second
     */
    public record Measured(RunResult result, LoadOutcome outcome, LatencyLog latencies) {}

    /**
     * Runs the load once.
     *
     * @param load   what to send; whether over TLS is up to the target
     * @param target where to
     * @return what was measured
     * @throws BrokenRunException   when the server ended meanwhile; it holds what was measured until then
     * @throws HarnessException     when no transaction can begin there
     * @throws InterruptedException when the calling thread was interrupted
     */
    public Measured run(final LoadSettings load, final Target target) throws InterruptedException {
        return run(load, target, List.of());
    }

    /**
     * Runs the load once, with the help of other processes.
     *
     * @param load    what to send; whether over TLS is up to the target
     * @param target  where to
     * @param helpers processes that have a part in it and are neither target nor generator; they are no disturbance
     * @return what was measured
     * @throws BrokenRunException   when the server ended meanwhile; it holds what was measured until then
     * @throws HarnessException     when no transaction can begin there
     * @throws InterruptedException when the calling thread was interrupted
     */
    public Measured run(final LoadSettings load, final Target target, final List<ProcessHandle> helpers)
            throws InterruptedException {
        probe(target);
        final LoadSettings settings = load.over(target.tls() != null, load.reconnect());
        final LoadDriver driver = driver(settings, target);
        final LedgerCheck ledger = target.packetIds() == null ? null : LedgerCheck.before(target.packetIdFiles());
        final ServerSampler sampler = target.process() == null ? null : ServerSampler.start(target.processes());
        final RunSampler watch = RunSampler.start(driver.meter(), target.processes(), helpers);
        final LoadOutcome outcome = drive(driver, settings, target);
        watch.stop();
        final LedgerFigures packets = ledger == null
                ? null
                : ledger.compare(
                        outcome,
                        settings.packets(),
                        LEDGER_STILL,
                        LEDGER_PATIENCE,
                        () -> interruption.interrupted() || hasEnded(target));
        // After the ledger: what a server has taken on and not yet worked off when the clients end is its cost, too.
        final ServerFigures server = stop(sampler, outcome);
        final Measured measured =
                new Measured(result(settings, target, outcome, watch, server, packets), outcome, watch.latencies());
        if (hasEnded(target) && !interruption.interrupted()) {
            throw new BrokenRunException(
                    "NiFi with the %s listener, process %d, ended in mid-run, %.1f s after the first client began: see logs/nifi-app.log and the other logs of its home."
                            .formatted(
                                    target.name(),
                                    target.process().pid(),
                                    measured.result().seconds()),
                    measured);
        }
        return measured;
    }

    private static boolean hasEnded(final Target target) {
        return target.process() != null && !target.process().isAlive();
    }

    private void probe(final Target target) throws InterruptedException {
        final Optional<String> refusal = WireProbe.ask(target.address(), WireTls.client(target.tls()), PROBE_TIMEOUT);
        if (refusal.isPresent() && !interruption.interrupted()) {
            throw new HarnessException(
                    "No transaction can begin at %s, port %s: %s. Does NiFi run there, is that its RAW Site-to-Site port, and does its input port run?"
                            .formatted(target.address(), target.address().portId(), refusal.get()));
        }
    }

    private LoadDriver driver(final LoadSettings settings, final Target target) {
        final String run = RunName.next();
        return switch (client) {
            case STOCK -> new StockLoadDriver(run, settings, target.address(), target.sslContext());
            case NIO ->
                new NioLoadDriver(
                        run,
                        settings,
                        target.address(),
                        target.sslContext(),
                        Math.min(connections, settings.clients()));
            case WIRE -> new WireLoadDriver(run, settings, target.addresses(), WireTls.client(target.tls()));
        };
    }

    private LoadOutcome drive(final LoadDriver driver, final LoadSettings settings, final Target target)
            throws InterruptedException {
        interruption.during(driver);
        final CompletableFuture<Void> onServerEnd = target.process() == null
                ? CompletableFuture.completedFuture(null)
                : target.process().onExit().thenRun(driver::stop);
        final ProgressDisplay display = ProgressDisplay.open(target.name(), settings, driver.meter());
        try {
            return driver.drive();
        } finally {
            onServerEnd.cancel(false);
            display.close();
            interruption.during(null);
        }
    }

    private ServerFigures stop(final ServerSampler sampler, final LoadOutcome outcome) throws InterruptedException {
        if (sampler == null) {
            return null;
        }
        try {
            return sampler.stop(outcome.successes());
        } catch (final HarnessException e) {
            // The server has ended, by itself or by the Ctrl-C that reaches it, too: what the clients measured is kept
            // without its part, and the caller says what happened.
            return null;
        }
    }

    private RunResult result(
            final LoadSettings settings,
            final Target target,
            final LoadOutcome outcome,
            final RunSampler watch,
            final ServerFigures server,
            final LedgerFigures packets) {
        final Map<Phase, LatencySummary> latencies = new EnumMap<>(Phase.class);
        outcome.histograms().forEach((phase, histogram) -> latencies.put(phase, LatencySummary.of(histogram)));
        final long transactions = outcome.successes();
        return new RunResult(
                target.name(),
                outcome.run(),
                target.name(),
                client.name().toLowerCase(Locale.ROOT),
                outcome.started(),
                settings,
                outcome.wall().toNanos() / NANOS_PER_SECOND,
                interruption.interrupted() || hasEnded(target),
                transactions,
                outcome.transactionsPerSecond(),
                outcome.failed(),
                outcome.failures(),
                outcome.abandoned(),
                outcome.destinationFull(),
                latencies,
                watch.generator(transactions),
                server,
                packets,
                watch.disturbance(),
                watch.series());
    }
}
