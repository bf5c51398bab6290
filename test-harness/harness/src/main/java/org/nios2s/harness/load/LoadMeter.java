// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Counts and times of all clients of a run. Every method may be called on any thread, none of them waits.
 */
public final class LoadMeter {

    private static final int SIGNIFICANT_DIGITS = 3;
    private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(24);

    private final Map<Phase, Times> times = new EnumMap<>(Phase.class);
    private final Times lateness = new Times();
    private final Map<String, LongAdder> failures = new ConcurrentHashMap<>();
    private final LongAdder succeeded = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder abandoned = new LongAdder();
    private final LongAdder destinationFull = new LongAdder();

    /**
     * A meter with nothing in it.
     *
     * @param paced whether the run has a pace, so that {@link Phase#RESPONSE} means something
     */
    public LoadMeter(final boolean paced) {
        for (final Phase phase : Phase.values()) {
            if (phase != Phase.RESPONSE || paced) {
                times.put(phase, new Times());
            }
        }
    }

    /**
     * The server acknowledged a transaction.
     *
     * @param moments its moments
     * @param full    whether the server said that its destination is full now
     */
    public void succeeded(final TransactionTimes moments, final boolean full) {
        times.forEach((phase, recorded) -> recorded.record(moments.nanos(phase)));
        succeeded.increment();
        if (full) {
            destinationFull.increment();
        }
    }

    /**
     * A transaction failed.
     *
     * @param cause why, in words that are the same for the same cause
     */
    public void failed(final String cause) {
        failures.computeIfAbsent(cause, key -> new LongAdder()).increment();
        failed.increment();
    }

    /**
     * A client began a transaction later than it should have for reasons of its own: the generator did not keep up.
     *
     * @param nanos how much later; 0 when it was on time
     */
    public void began(final long nanos) {
        lateness.record(Math.max(0, nanos));
    }

    /** A transaction was given up because the run was stopped. */
    public void abandoned() {
        abandoned.increment();
    }

    /**
     * Acknowledged transactions so far.
     *
     * @return their number
     */
    public long successes() {
        return succeeded.sum();
    }

    /**
     * Failed transactions so far.
     *
     * @return their number
     */
    public long failures() {
        return failed.sum();
    }

    /**
     * Transactions given up so far.
     *
     * @return their number
     */
    public long abandonments() {
        return abandoned.sum();
    }

    /**
     * Acknowledged transactions after which the destination was full.
     *
     * @return their number
     */
    public long destinationFull() {
        return destinationFull.sum();
    }

    /**
     * Failures by cause.
     *
     * @return a copy, ordered by cause
     */
    public Map<String, Long> failuresByCause() {
        final Map<String, Long> copy = new TreeMap<>();
        failures.forEach((cause, count) -> copy.put(cause, count.sum()));
        return copy;
    }

    /**
     * The times since the last tick; they stay part of {@link #histograms}.
     *
     * @return a histogram of microseconds for each phase; that of {@link Phase#RESPONSE} only in a paced run
     */
    public Map<Phase, Histogram> tick() {
        final Map<Phase, Histogram> since = new EnumMap<>(Phase.class);
        times.forEach((phase, recorded) -> since.put(phase, recorded.tick()));
        return since;
    }

    /**
     * All times so far.
     *
     * @return a histogram of microseconds for each phase; that of {@link Phase#RESPONSE} only in a paced run
     */
    public Map<Phase, Histogram> histograms() {
        final Map<Phase, Histogram> all = new EnumMap<>(Phase.class);
        times.forEach((phase, recorded) -> all.put(phase, recorded.all()));
        return all;
    }

    /**
     * How late transactions began for reasons of the generator.
     *
     * @return a histogram of microseconds, empty when the clients do not tell
     */
    public Histogram lateness() {
        return lateness.all();
    }

    /** Times of one kind. Recording never waits; the rest is done by few, one at a time. */
    private static final class Times {

        private final Recorder recorder = new Recorder(SIGNIFICANT_DIGITS);
        private final Histogram all = new Histogram(SIGNIFICANT_DIGITS);
        private Histogram sinceTick = new Histogram(SIGNIFICANT_DIGITS);
        private Histogram recycled;

        private void record(final long nanos) {
            recorder.recordValue(Math.min(TimeUnit.NANOSECONDS.toMicros(nanos), MAX_MICROS));
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
