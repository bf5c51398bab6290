// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Bounds the time for which an answer is waited for. Stateless; any thread.
 *
 * <p>What depends on a future runs on the thread that completes it, and may be the caller's code, which blocks. The JDK has one
 * thread for the time-outs of the whole JVM, so that thread only passes the time-out on.
 */
public final class TimeLimit {
    private TimeLimit() {}

    /**
     * @param executor completes the returned future if the answer is late
     * @return completed as the answer is; with a {@link TimeoutException} if that takes longer
     */
    public static <T> CompletableFuture<T> of(
            final CompletableFuture<T> answer, final Duration longest, final Executor executor) {
        final CompletableFuture<T> inTime = answer.copy();
        final CompletableFuture<Void> clock = new CompletableFuture<>();
        inTime.whenComplete((done, failure) -> clock.complete(null));
        clock.orTimeout(TimeUnit.NANOSECONDS.convert(longest), TimeUnit.NANOSECONDS)
                .whenComplete((nothing, late) -> {
                    if (late != null) {
                        executor.execute(() -> inTime.completeExceptionally(late));
                    }
                });
        return inTime;
    }
}
