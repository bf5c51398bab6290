// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.time;

/**
 * A clock that measures elapsed time. Thread-safe.
 *
 * <p>Every class that needs the time is given one, so that a test can set it. For the time of day there is
 * {@link java.time.InstantSource}.
 */
@FunctionalInterface
public interface NanoClock {
    /** The clock of the JVM. */
    NanoClock SYSTEM = System::nanoTime;

    /** @return the time in nanoseconds, as {@link System#nanoTime}: only the difference between two calls means something */
    long nanoTime();
}
