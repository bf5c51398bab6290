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
