// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import java.util.ArrayDeque;
import java.util.Queue;

/** A limited number of permits for something, given out in the order in which they are asked for. Thread-safe. */
public final class Permits {
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int left;

    /**
     * @param number of permits
     */
    public Permits(final int number) {
        left = number;
    }

    /**
     * Asks for a permit.
     *
     * @param granted called once, on any thread, when a permit is there, if it is not now; must not block
     * @return whether it is granted now; then {@code granted} is not called
     */
    public synchronized boolean acquireOrAwait(final Runnable granted) {
        if (left > 0) {
            left--;
            return true;
        }
        waiting.add(granted);
        return false;
    }

    /**
     * Asks no longer.
     *
     * @return false if the permit was granted meanwhile: then it has to be released
     */
    public synchronized boolean withdraw(final Runnable granted) {
        return waiting.remove(granted);
    }

    /** Gives a permit back. */
    public void release() {
        final Runnable next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                left++;
            }
        }
        if (next != null) {
            next.run();
        }
    }
}
