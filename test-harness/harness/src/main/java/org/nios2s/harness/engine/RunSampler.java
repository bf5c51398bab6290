// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadRecorder;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.nifi.Liveness;
import org.nios2s.harness.nifi.ProcessUsage;
import org.nios2s.harness.result.LatencyLog;
import org.nios2s.harness.result.Range;
import org.nios2s.harness.result.RunResult.Disturbance;
import org.nios2s.harness.result.RunResult.GeneratorMetrics;
import org.nios2s.harness.result.RunResult.LatencySummary;
import org.nios2s.harness.result.RunResult.ServerMetrics;
import org.nios2s.harness.result.RunResult.TimeSeries;

/**
 * Looks at a run once a second: what its clients measured, what server and generator cost. Samples on a thread of its own;
 * started and stopped by the experiment.
 */
final class RunSampler {

    private static final long PERIOD_MILLIS = 1_000;
    /** The rest of a second at a run's end that is shorter than this says nothing: processor times come in ticks. */
    private static final double MIN_SECONDS = 0.5;

    private static final double PERCENT = 100;
    private static final double MEBIBYTE = 1024 * 1024;
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LoadRecorder recorder;
    private final List<ProcessHandle> server;
    private final LatencyLog latencies;
    private final List<TimeSeries.Sample> samples = new ArrayList<>();
    private final BusiestThread busiestThread = new BusiestThread();
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread = new Thread(this::sample, "run-sampler");
    private final Supplier<Moment> now;
    private final Moment first;
    private Moment last;
    private Moment rest;
    private long maxResidentBytes;
    private int maxThreads;

    /** The counts at a moment; the usage of processes is null when one of them has ended. */
    record Moment(
            long nanos,
            Instant time,
            long successes,
            Map<String, Long> failures,
            Duration ownCpu,
            ProcessUsage server,
            MachineUse machine) {

        /** Processor time of all that have a part in the run; null when one of them does not tell. */
        private Duration knownCpu() {
            return server == null ? null : ownCpu.plus(server.cpu());
        }

        private static Moment now(final LoadRecorder recorder, final List<ProcessHandle> server) {
            final Duration own = Duration.ofNanos(ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                    .getProcessCpuTime());
            return new Moment(
                    System.nanoTime(),
                    Instant.now(),
                    recorder.successes(),
                    recorder.failuresByCause(),
                    own,
                    usage(server),
                    MachineUse.now());
        }

        private static ProcessUsage usage(final List<ProcessHandle> processes) {
            if (!processes.stream().allMatch(Liveness::isAlive)) {
                return null;
            }
            try {
                return ProcessUsage.of(processes);
            } catch (final HarnessException e) {
                // It ended between the two looks; the experiment says so.
                return null;
            }
        }
    }

    private RunSampler(final LoadRecorder recorder, final List<ProcessHandle> server, final Supplier<Moment> now) {
        this.recorder = recorder;
        this.server = List.copyOf(server);
        this.now = now;
        this.first = now.get();
        this.last = first;
        this.rest = first;
        this.latencies = new LatencyLog(last.time());
        thread.setDaemon(true);
    }

    /** Begins to look. */
    static RunSampler start(final LoadRecorder recorder, final List<ProcessHandle> server) {
        return start(recorder, server, () -> Moment.now(recorder, server));
    }

    /** @param now what has been counted at the moment of a look */
    static RunSampler start(final LoadRecorder recorder, final List<ProcessHandle> server, final Supplier<Moment> now) {
        final RunSampler sampler = new RunSampler(recorder, server, now);
        sampler.thread.start();
        return sampler;
    }

    /** Stops to look; afterwards the rest may be asked for. */
    void stop() throws InterruptedException {
        end.countDown();
        thread.join();
        rest = last;
    }

    /** The server was still at work for this run: what it has cost until now is part of the run's cost. */
    void stillAtWork() {
        rest = now.get();
        note(rest.server());
    }

    TimeSeries series() {
        return new TimeSeries(samples);
    }

    LatencyLog latencies() {
        return latencies;
    }

    /** The cost of the load in this process, and whether it kept up. */
    GeneratorMetrics generator(final long transactions) {
        final Duration cpu = last.ownCpu().minus(first.ownCpu());
        final Double each = each(cpu.toNanos() / NANOS_PER_MILLI, transactions);
        return new GeneratorMetrics(
                each,
                percent(cpu, seconds()),
                busiestThread.medianPercent(),
                p99(recorder.lateness()),
                p99(recorder.loopDelay()));
    }

    /** The server's cost until it was last seen at work; null when it is not here or has ended. */
    ServerMetrics server(final long transactions) {
        if (server.isEmpty() || rest.server() == null || last.server() == null || first.server() == null) {
            return null;
        }
        final double cpuMillis = rest.server().cpu().minus(first.server().cpu()).toNanos() / NANOS_PER_MILLI;
        return new ServerMetrics(
                cpuMillis,
                each(cpuMillis, transactions),
                percent(last.server().cpu().minus(first.server().cpu()), seconds()),
                maxResidentBytes,
                maxThreads);
    }

    private static Double p99(final Histogram micros) {
        final LatencySummary summary = LatencySummary.of(micros);
        return summary.count() == 0 ? null : summary.p99();
    }

    /** Of nothing there is no share. */
    private static Double each(final double millis, final long transactions) {
        return transactions == 0 ? null : millis / transactions;
    }

    private void note(final ProcessUsage usage) {
        if (usage != null) {
            maxResidentBytes = Math.max(maxResidentBytes, usage.residentBytes());
            maxThreads = Math.max(maxThreads, usage.threads());
        }
    }

    /** The machine's other work meanwhile; null when it is not known. */
    Disturbance disturbance() {
        final Duration before = first.knownCpu();
        final Duration after = last.knownCpu();
        return first.machine() == null || last.machine() == null || before == null || after == null
                ? null
                : last.machine()
                        .since(first.machine(), after.minus(before), Duration.ofNanos(last.nanos() - first.nanos()));
    }

    private double seconds() {
        return Math.max(1, last.nanos() - first.nanos()) / NANOS_PER_SECOND;
    }

    private void sample() {
        try {
            boolean ended = false;
            while (!ended) {
                ended = end.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS);
                add(now.get());
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void add(final Moment moment) {
        note(moment.server());
        final Map<Phase, Histogram> times = recorder.tick();
        latencies.add(last.time(), moment.time(), times);
        final double seconds = (moment.nanos() - last.nanos()) / NANOS_PER_SECOND;
        if (seconds < MIN_SECONDS && !samples.isEmpty()) {
            last = moment;
            return;
        }
        busiestThread.look();
        final LatencySummary shown = LatencySummary.of(times.getOrDefault(Phase.RESPONSE, times.get(Phase.TOTAL)));
        final ProcessUsage usage = server.isEmpty() ? null : moment.server();
        samples.add(new TimeSeries.Sample(
                (moment.nanos() - first.nanos()) / NANOS_PER_SECOND,
                (moment.successes() - last.successes()) / seconds,
                difference(moment.failures(), last.failures()),
                shown.count() == 0 ? null : shown.p50(),
                shown.count() == 0 ? null : shown.p99(),
                usage == null || last.server() == null
                        ? null
                        : percent(usage.cpu().minus(last.server().cpu()), seconds),
                percent(moment.ownCpu().minus(last.ownCpu()), seconds),
                usage == null ? null : usage.residentBytes() / MEBIBYTE,
                usage == null ? null : usage.threads()));
        last = moment;
    }

    private static Map<String, Long> difference(final Map<String, Long> now, final Map<String, Long> before) {
        final Map<String, Long> difference = new TreeMap<>(now);
        before.forEach((cause, count) -> difference.merge(cause, -count, Long::sum));
        difference.values().removeIf(more -> more <= 0);
        return difference;
    }

    private static double percent(final Duration cpu, final double seconds) {
        return PERCENT * cpu.toNanos() / NANOS_PER_SECOND / seconds;
    }

    /**
     * How busy this process's busiest thread is: one that is always busy is a limit of the generator, however many processors
     * are idle. For one thread at a time.
     */
    private static final class BusiestThread {

        private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        private final List<Double> percents = new ArrayList<>();
        private Map<Long, Long> lastNanos = cpuNanos();
        private long lastLook = System.nanoTime();

        /** Takes the processor times of all threads since the last look. */
        void look() {
            final Map<Long, Long> nanos = cpuNanos();
            final long now = System.nanoTime();
            final long most = nanos.entrySet().stream()
                    .mapToLong(thread -> thread.getValue() - lastNanos.getOrDefault(thread.getKey(), 0L))
                    .max()
                    .orElse(0);
            percents.add(PERCENT * most / Math.max(1, now - lastLook));
            lastNanos = nanos;
            lastLook = now;
        }

        /** Of the busiest thread of each look, the median in percent of one processor; 0 before the first look. */
        double medianPercent() {
            return percents.isEmpty() ? 0 : Range.of(percents).median();
        }

        private Map<Long, Long> cpuNanos() {
            final Map<Long, Long> nanos = new HashMap<>();
            LongStream.of(threads.getAllThreadIds()).forEach(id -> nanos.put(id, threads.getThreadCpuTime(id)));
            nanos.values().removeIf(used -> used <= 0);
            return nanos;
        }
    }
}
