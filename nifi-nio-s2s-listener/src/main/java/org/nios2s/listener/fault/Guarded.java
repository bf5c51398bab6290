// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The guard at a thread's boundary: an exception or error that gets there is logged once, and the thread continues. Stateless; on
 * any thread.
 */
public final class Guarded {
    private static final Logger logger = LoggerFactory.getLogger(Guarded.class);

    private Guarded() {}

    /** A task that may throw anything. */
    @FunctionalInterface
    public interface Task {
        void run() throws Exception;
    }

    /** @param what the task does, for the log: the subject of "failed" */
    public static void run(final String what, final Task task) {
        try {
            task.run();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final Throwable e) {
            logger.error(
                    "{} failed. The connection or transaction in work has ended, and the listener continues; report the stack trace"
                            + " below unless it names another component or a lack of memory",
                    what,
                    e);
        }
    }
}
