// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

/**
 * The part of a run in which all clients are at work: from the begin of the last until the end of the first. Rates and
 * times are those of this part. Immutable; any thread.
 *
 * @param rampSeconds  before it: not all clients have begun
 * @param seconds      how long it is
 * @param tailSeconds  after it: some clients have ended
 * @param transactions acknowledged in it
 * @param usable       false when it is too short to tell: then everything is that of the whole run, start and end
 *                     included
 */
public record SteadyWindow(double rampSeconds, double seconds, double tailSeconds, long transactions, boolean usable) {

    private static final double MIN_SECONDS = 0.5;
    private static final double MIN_PART = 0.1;
    private static final double NANOS_PER_SECOND = 1e9;

    /** The window of a run, by nanoseconds of one clock; one that never began has 0 for {@code from}. */
    static SteadyWindow of(
            final long start,
            final long from,
            final long to,
            final long end,
            final long inside,
            final boolean telling) {
        final double whole = Math.max(1, end - start) / NANOS_PER_SECOND;
        final double seconds = from == 0 ? 0 : Math.max(0, to - from) / NANOS_PER_SECOND;
        return new SteadyWindow(
                from == 0 ? whole : (from - start) / NANOS_PER_SECOND,
                seconds,
                from == 0 ? 0 : Math.max(0, end - to) / NANOS_PER_SECOND,
                inside,
                telling && seconds >= MIN_SECONDS && seconds >= MIN_PART * whole);
    }

    /** Acknowledged transactions per second. */
    public double perSecond() {
        return seconds == 0 ? 0 : transactions / seconds;
    }
}
