/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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

    private final boolean paced;
    private final Map<Phase, Recorder> recorders = new EnumMap<>(Phase.class);
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
        this.paced = paced;
        for (final Phase phase : Phase.values()) {
            recorders.put(phase, new Recorder(SIGNIFICANT_DIGITS));
        }
    }

    /**
     * The server acknowledged a transaction.
     *
     * @param times its moments
     * @param full  whether the server said that its destination is full now
     */
    public void succeeded(final TransactionTimes times, final boolean full) {
        for (final Map.Entry<Phase, Recorder> entry : recorders.entrySet()) {
            if (entry.getKey() != Phase.RESPONSE || paced) {
                final long micros = TimeUnit.NANOSECONDS.toMicros(times.nanos(entry.getKey()));
                entry.getValue().recordValue(Math.min(micros, MAX_MICROS));
            }
        }
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
     * Takes the times out: a second call gives what came after the first.
     *
     * @return a histogram of microseconds for each phase; that of {@link Phase#RESPONSE} only in a paced run
     */
    public Map<Phase, Histogram> takeHistograms() {
        final Map<Phase, Histogram> histograms = new EnumMap<>(Phase.class);
        recorders.forEach((phase, recorder) -> {
            if (phase != Phase.RESPONSE || paced) {
                histograms.put(phase, recorder.getIntervalHistogram());
            }
        });
        return histograms;
    }
}
