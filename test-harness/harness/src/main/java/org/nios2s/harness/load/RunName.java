// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes names for runs, short and unlike those of any earlier run on the same NiFi. Any thread.
 */
public final class RunName {

    private static final AtomicInteger COUNTER = new AtomicInteger();

    private RunName() {}

    /** A new name: letters and digits only. */
    public static String next() {
        return "r" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + "x" + COUNTER.incrementAndGet();
    }
}
