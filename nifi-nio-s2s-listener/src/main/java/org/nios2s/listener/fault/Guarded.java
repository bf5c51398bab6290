// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

import org.slf4j.Logger;

/**
 * The guard at a thread's boundary: whatever is thrown there is reported, once, and the thread goes on. Stateless; any
 * thread.
 */
public final class Guarded {
    private Guarded() {}

    /** What may throw anything. */
    @FunctionalInterface
    public interface Task {
        void run() throws Exception;
    }

    /**
     * @param logger of the thread's owner
     * @param what is done, for the log
     * @return runs the task and reports what it throws
     */
    public static Runnable task(final Logger logger, final String what, final Task task) {
        return () -> run(logger, what, task);
    }

    /** Runs the task and reports what it throws. */
    public static void run(final Logger logger, final String what, final Task task) {
        try {
            task.run();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final Throwable e) {
            logger.error("{} failed; what it owned has ended, the thread goes on", what, e);
        }
    }
}
