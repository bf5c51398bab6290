// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.nios2s.client.internal.call.Completion;
import org.nios2s.client.internal.connection.NewerJava;

/**
 * Tells callers what became of the packets of a transaction, in their order: all in one task of the completion executor, since a
 * task for each costs more than a record does. Once a caller's code has kept that task, those behind it get tasks of their own. Any
 * thread.
 */
final class HandOver {
    /** How long a caller's code may keep those behind it waiting. */
    private static final long PATIENCE_MILLIS = 10;

    /** Works whether the client is closed or not. */
    private static final Executor WITHOUT_PATIENCE =
            CompletableFuture.delayedExecutor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS, NewerJava.blockingTasks());

    private final Executor completion;
    private final List<BatchEntry> entries;
    private final Consumer<BatchEntry> telling;
    private final AtomicInteger told = new AtomicInteger();

    private HandOver(final Executor completion, final List<BatchEntry> entries, final Consumer<BatchEntry> telling) {
        this.completion = completion;
        this.entries = entries;
        this.telling = telling;
    }

    /** @param telling ends the future of a packet; throws nothing */
    static void of(final List<BatchEntry> entries, final Consumer<BatchEntry> telling, final Executor completion) {
        final HandOver all = new HandOver(completion, entries, telling);
        if (all.hasMore()) {
            Completion.run(all::tellAll, completion);
        }
        if (all.hasMore()) {
            WITHOUT_PATIENCE.execute(all::tellTheRestApart);
        }
    }

    private boolean hasMore() {
        return told.get() < entries.size();
    }

    private void tellAll() {
        while (hasMore()) {
            tellNext();
        }
    }

    private void tellTheRestApart() {
        for (int left = entries.size() - told.get(); left > 0; left--) {
            Completion.run(this::tellNext, completion);
        }
    }

    private void tellNext() {
        final int next = told.getAndIncrement();
        if (next < entries.size()) {
            telling.accept(entries.get(next));
        }
    }
}
