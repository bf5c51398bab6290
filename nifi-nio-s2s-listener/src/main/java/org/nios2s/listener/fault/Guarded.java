// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The guard at a thread's boundary: whatever is thrown there is reported, once, and the thread goes on. Stateless; any
 * thread.
 */
public final class Guarded {
    private static final Logger logger = LoggerFactory.getLogger(Guarded.class);

    private Guarded() {}

    /** What may throw anything. */
    @FunctionalInterface
    public interface Task {
        void run() throws Exception;
    }

    /** @param what is done, for the log */
    public static void run(final String what, final Task task) {
        try {
            task.run();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final Throwable e) {
            logger.error("{} failed; what it owned has ended, the thread goes on", what, e);
        }
    }
}
