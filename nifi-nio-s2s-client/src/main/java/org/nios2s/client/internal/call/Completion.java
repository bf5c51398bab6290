// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import java.util.concurrent.Executor;

/** Runs what tells callers of an outcome. Any thread. */
public final class Completion {
    private Completion() {}

    /** Runs a task on the completion executor, or on this thread if the executor does not take it. */
    public static void run(final Runnable task, final Executor executor) {
        try {
            executor.execute(task);
        } catch (final Throwable e) {
            // The caller must hear of it, if not where it wants to.
            task.run();
        }
    }
}
