// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.nios2s.harness.HarnessException;

/**
 * A point in time until which a condition is waited for. Waits on the thread that calls it.
 *
 * @param patience what it was set to
 * @param end      in nanoseconds of {@link System#nanoTime()}
 */
public record Deadline(Duration patience, long end) {

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    public static Deadline after(final Duration patience) {
        return new Deadline(patience, System.nanoTime() + patience.toNanos());
    }

    public boolean passed() {
        return System.nanoTime() - end >= 0;
    }

    /** Waits until a condition holds; the words for the message are asked for when it did not. */
    public void until(final Supplier<String> what, final BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (passed()) {
                throw new HarnessException("Gave up after %d s: %s".formatted(patience.toSeconds(), what.get()));
            }
            pause();
        }
    }

    /** From one look to the next. */
    void pause() {
        try {
            Thread.sleep(POLL_INTERVAL);
        } catch (final InterruptedException e) {
            throw HarnessException.interrupted("waiting", e);
        }
    }
}
