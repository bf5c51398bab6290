// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.http.HttpClient;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/** What Java has since 21, used where it is there; the client runs on Java 17 without it. Stateless; any thread. */
public final class NewerJava {
    private static final ThreadFactory VIRTUAL = virtual();
    private static final ThreadFactory THREADS =
            VIRTUAL == null ? new DefaultThreadFactory("s2s-blocking", true) : VIRTUAL;

    /** A platform thread costs too much to be made for each task. */
    private static final Executor BLOCKING = VIRTUAL == null
            ? Executors.newCachedThreadPool(THREADS)
            : task -> VIRTUAL.newThread(task).start();

    private NewerJava() {}

    /** @return null where there are no virtual threads */
    private static ThreadFactory virtual() {
        try {
            final Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (final ReflectiveOperationException e) {
            return null;
        }
    }

    /** @return runs tasks that may block, each on a virtual thread or on one of a pool that grows */
    public static Executor blockingTasks() {
        return BLOCKING;
    }

    /** @return a thread for a task that may block, virtual where there are such threads; to be started */
    public static Thread thread(final String name, final Runnable task) {
        final Thread thread = THREADS.newThread(task);
        thread.setName(name);
        return thread;
    }

    /** Ends it without waiting. Before Java 21 it ends by itself, after its last answer or the time-out of that. */
    public static void shutDown(final HttpClient http) {
        try {
            HttpClient.class.getMethod("shutdownNow").invoke(http);
        } catch (final NoSuchMethodException e) {
            // It is garbage soon.
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
