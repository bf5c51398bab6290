// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

/** The distribution of the intended starts of a client that has a pace. A constant, used on every thread. */
public enum Arrivals {
    /** One after each interval: the kindest pattern. */
    UNIFORM,
    /** By chance, as those of many independent callers: gaps have an exponential distribution. */
    POISSON,
    /** All clients at the same moment, then none until the interval is over: the clients begin together. */
    BURSTS;

    /** Of a golden ratio, so that neighbouring numbers have unlike gaps. */
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private static final int MANTISSA_BITS = 53;

    /**
     * From the intended start of a client's transaction to that of its next. It follows from the numbers alone: every run and
     * every target gets the same.
     */
    long gap(final int client, final int transaction, final long intervalNanos) {
        return switch (this) {
            case UNIFORM, BURSTS -> intervalNanos;
            case POISSON -> Math.round(-Math.log(chance(client, transaction)) * intervalNanos);
        };
    }

    /** Between 0, which it never is, and 1. */
    private static double chance(final int client, final int transaction) {
        long bits = (((long) client << Integer.SIZE) + transaction + 1) * MIX;
        bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
        bits ^= bits >>> 31;
        return ((bits >>> (Long.SIZE - MANTISSA_BITS)) + 1) / (double) (1L << MANTISSA_BITS);
    }
}
