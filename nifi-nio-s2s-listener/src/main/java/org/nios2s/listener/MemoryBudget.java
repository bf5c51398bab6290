// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;

/**
 * The memory that all connections together may hold in buffered data, in bytes. Thread-safe.
 *
 * <p>A charge always succeeds, because its bytes have arrived already. What the budget decides is who goes on: while it is
 * exhausted, a push transaction above {@link #RESERVE_PER_TRANSACTION} leaves memory for the content repository, one that
 * streams already pauses early, and a pull makes no further piece; those who wait are woken in the order in which they
 * came. Below the reserve a transaction always goes on: so small ones always complete, and the budget can't fill up with
 * halves of them.
 *
 * <p>So it may be exceeded by the reserve of each connection, by what each of the few streaming transactions has not
 * written yet, and by one piece for each pull.
 */
public final class MemoryBudget {
    /** Bytes that a transaction may hold whatever the others hold. */
    public static final int RESERVE_PER_TRANSACTION = 16 * 1024;

    /** Bytes for which one waiting connection is woken: what it can be expected to read. */
    private static final long ROOM_PER_WAITER = 64L * 1024;

    private final long limit;
    private final AtomicLong used = new AtomicLong();
    private final LongAccumulator most = new LongAccumulator(Math::max, 0);
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    /**
     * @param limit bytes
     */
    public MemoryBudget(final long limit) {
        this.limit = limit;
    }

    /** @param bytes that are held from now on */
    public void charge(final long bytes) {
        most.accumulate(used.addAndGet(bytes));
    }

    /** @param bytes that are held no longer */
    public void release(final long bytes) {
        if (bytes > 0) {
            used.addAndGet(-bytes);
            wake();
        }
    }

    /** @return whether who holds more than the reserve has to wait */
    public boolean isExhausted() {
        return used.get() >= limit;
    }

    /**
     * Waits for room.
     *
     * @param resume called once, soon, on any thread, when there is room; must not block
     */
    public void awaitRoom(final Runnable resume) {
        waiting.add(resume);
        if (!isExhausted()) {
            wake();
        }
    }

    private void wake() {
        long room = limit - used.get();
        while (room > 0) {
            final Runnable next = waiting.poll();
            if (next == null) {
                return;
            }
            next.run();
            room -= ROOM_PER_WAITER;
        }
    }

    /** @return bytes held now */
    public long used() {
        return used.get();
    }

    /** @return most bytes held at once since this was last asked */
    public long takeMost() {
        return Math.max(most.getThenReset(), used.get());
    }

    /** @return bytes that may be held */
    public long limit() {
        return limit;
    }
}
