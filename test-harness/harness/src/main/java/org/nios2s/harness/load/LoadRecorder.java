// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Counts and times of all clients of a run, those of its steady window apart. Every method may be called on any thread,
 * none of them waits.
 */
public final class LoadRecorder {

    private static final int SIGNIFICANT_DIGITS = 3;
    private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(24);
    private static final long NOT_YET = 0;

    /** A window with less than the tenth part of all transactions says nothing of the run. */
    private static final long MIN_PART = 10;

    private final int clients;
    private final Map<Phase, Times> times = new EnumMap<>(Phase.class);
    private final Times lateness = new Times();
    private final Times loopDelay = new Times();
    private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
    private final LongAdder succeeded = new LongAdder();
    private final LongAdder succeededSteadily = new LongAdder();
    private final LongAdder timedSteadily = new LongAdder();
    private final LongAdder abandoned = new LongAdder();
    private final LongAdder missed = new LongAdder();
    private final LongAdder destinationFull = new LongAdder();
    private final LongAdder flowFiles = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicLong firstBegin = new AtomicLong(NOT_YET);
    private final AtomicLong lastBegin = new AtomicLong(NOT_YET);
    private final AtomicLong plannedEnd = new AtomicLong(NOT_YET);
    private final AtomicLong firstEnd = new AtomicLong(NOT_YET);

    /** A recorder with nothing in it, for the clients of this load. */
    public LoadRecorder(final LoadSettings settings) {
        this.clients = settings.clients();
        for (final Phase phase : Phase.values()) {
            times.put(phase, new Times());
        }
    }

    /** A client begins its work; with the last of them the steady window opens. */
    public void clientBegins() {
        final long now = System.nanoTime();
        firstBegin.compareAndSet(NOT_YET, now);
        if (begun.incrementAndGet() == clients) {
            lastBegin.set(now);
        }
    }

    /** No transaction begins later; the steady window closes then, even if no client has ended because none was answered. */
    void endsAt(final long nanos) {
        plannedEnd.set(nanos);
    }

    /** A client ends its work; with the first of them the steady window closes. */
    public void clientEnds() {
        firstEnd.compareAndSet(NOT_YET, System.nanoTime());
    }

    /** The server acknowledged a transaction, and perhaps said that its destination is full now. */
    public void succeeded(
            final TransactionTimes moments, final boolean full, final long packets, final long contentBytes) {
        // By its start, not its end: one that the server kept beyond the window belongs to it all the same.
        final boolean steady = isSteady(moments.intendedNanos());
        times.forEach((phase, recorded) -> recorded.record(moments.nanos(phase), steady));
        if (steady) {
            timedSteadily.increment();
        }
        if (isSteady(moments.completedNanos())) {
            succeededSteadily.increment();
        }
        succeeded.increment();
        flowFiles.add(packets);
        bytes.add(contentBytes);
        if (full) {
            destinationFull.increment();
        }
    }

    /**
     * A transaction failed, for a reason in words that are the same for the same cause. Its caller waited until now, and that
     * counts as its time: a time-out is no short wait.
     */
    public void failed(final String cause, final long intendedNanos) {
        times.get(Phase.RESPONSE).record(System.nanoTime() - intendedNanos, isSteady(intendedNanos));
        failures.computeIfAbsent(cause, key -> new LongAdder()).increment();
    }

    /** A client began a transaction so much later than it should have for reasons of its own. */
    public void began(final long nanos) {
        lateness.record(nanos, false);
    }

    /** A thread that reads answers came so much later than it should have to what was due. */
    public void loopWasLate(final long nanos) {
        loopDelay.record(nanos, false);
    }

    /** A transaction was given up because the run was stopped. */
    public void abandoned() {
        abandoned.increment();
    }

    /**
     * The time was over before a client came to a transaction that its pace had asked for. A caller would have waited
     * for this long at least, and that is what counts as its time.
     */
    public void missed(final long intendedNanos) {
        missed.increment();
        times.get(Phase.RESPONSE).record(System.nanoTime() - intendedNanos, isSteady(intendedNanos));
    }

    /** Acknowledged transactions so far. */
    public long successes() {
        return succeeded.sum();
    }

    public long failures() {
        return failures.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** Transactions that a pace had asked for and no client came to. */
    public long missed() {
        return missed.sum();
    }

    /** FlowFiles of the acknowledged transactions. */
    public long flowFiles() {
        return flowFiles.sum();
    }

    /** Content of the acknowledged transactions. */
    public long bytes() {
        return bytes.sum();
    }

    /** Failures by cause so far, ordered by cause. */
    public Map<String, Long> failuresByCause() {
        final Map<String, Long> copy = new TreeMap<>();
        failures.forEach((cause, count) -> copy.put(cause, count.sum()));
        return copy;
    }

    /** The outcome of a run of this name, begin and length, whose clients have just ended. */
    public LoadOutcome outcome(
            final String run, final Instant started, final Duration wall, final List<ClientStats> stats) {
        final SteadyWindow window = window();
        return new LoadOutcome(
                run,
                started,
                wall,
                List.copyOf(stats),
                window,
                histograms(window),
                new LoadTotals(
                        failuresByCause(), flowFiles(), bytes(), abandoned.sum(), missed(), destinationFull.sum()));
    }

    /** The times since the last tick, in microseconds; they stay part of {@link #histograms}. */
    public Map<Phase, Histogram> tick() {
        final Map<Phase, Histogram> since = new EnumMap<>(Phase.class);
        times.forEach((phase, recorded) -> since.put(phase, recorded.tick()));
        return since;
    }

    /** The steady window of a run that has ended now. */
    public SteadyWindow window() {
        final long now = System.nanoTime();
        final long start = firstBegin.get() == NOT_YET ? now : firstBegin.get();
        final long to = windowEnd() == NOT_YET ? now : windowEnd();
        final boolean telling = timedSteadily.sum() * MIN_PART >= succeeded.sum();
        return SteadyWindow.of(start, lastBegin.get(), to, now, succeededSteadily.sum(), telling);
    }

    private long windowEnd() {
        final long first = firstEnd.get();
        final long planned = plannedEnd.get();
        return planned == NOT_YET || first != NOT_YET && first - planned < 0 ? first : planned;
    }

    /** The times of a run that has ended, in microseconds: those of its steady window, or all when it has none. */
    public Map<Phase, Histogram> histograms(final SteadyWindow window) {
        final Map<Phase, Histogram> histograms = new EnumMap<>(Phase.class);
        times.forEach((phase, recorded) ->
                histograms.put(phase, window.usable() ? recorded.steady.getIntervalHistogram() : recorded.all()));
        return histograms;
    }

    /** How late transactions began for reasons of the generator, in microseconds; empty when the clients do not tell. */
    public Histogram lateness() {
        return lateness.all();
    }

    /** How late the threads that read answers came to what was due, in microseconds. */
    public Histogram loopDelay() {
        return loopDelay.all();
    }

    private boolean isSteady(final long nanos) {
        final long from = lastBegin.get();
        final long to = windowEnd();
        return from != NOT_YET && nanos - from >= 0 && (to == NOT_YET || nanos - to <= 0);
    }

    /** Times of one kind. Recording never waits; the rest is done by few, one at a time. */
    private static final class Times {

        private final Recorder recorder = new Recorder(SIGNIFICANT_DIGITS);
        private final Recorder steady = new Recorder(SIGNIFICANT_DIGITS);
        private final Histogram all = new Histogram(SIGNIFICANT_DIGITS);
        private Histogram sinceTick = new Histogram(SIGNIFICANT_DIGITS);
        private Histogram recycled;

        private void record(final long nanos, final boolean steadily) {
            final long micros = Math.min(TimeUnit.NANOSECONDS.toMicros(Math.max(0, nanos)), MAX_MICROS);
            recorder.recordValue(micros);
            if (steadily) {
                steady.recordValue(micros);
            }
        }

        private synchronized Histogram tick() {
            drain();
            final Histogram since = sinceTick;
            sinceTick = new Histogram(SIGNIFICANT_DIGITS);
            return since;
        }

        private synchronized Histogram all() {
            drain();
            return all.copy();
        }

        private void drain() {
            recycled = recorder.getIntervalHistogram(recycled);
            all.add(recycled);
            sinceTick.add(recycled);
        }
    }
}
