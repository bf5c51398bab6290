// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.Holder;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.time.NanoClock;

/**
 * Runs turns in which contents are written: few at once, so that they leave processors to small transactions. Peers have turns as they
 * have all that is shared: who has had one comes behind the others. Thread-safe.
 *
 * <p>NiFi lets a writer wait while its container of the content repository is full, and does not say so. A turn that takes long
 * does not count any more: another one may begin beside it, so that contents of other containers, and of other ports, go on.
 * There are never more threads than pushes that stream.
 */
public final class ContentWriters {
    /** A turn writes a megabyte: after so long it waits for the disk, and not for a processor. */
    private static final long BLOCKED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Executor threads;
    private final int maxAtWork;
    private final int maxThreads;
    private final NanoClock clock;

    private final SharedResource.Part turns;
    /** Threads that have a turn, or are about to, each with the turn's beginning. */
    private final Map<Object, Long> running = new HashMap<>();

    /**
     * @param threads as many as are asked for
     * @param maxAtWork turns at once that are not blocked
     * @param maxThreads turns at once in all
     */
    public ContentWriters(final Executor threads, final int maxAtWork, final int maxThreads, final NanoClock clock) {
        this.threads = threads;
        this.maxAtWork = maxAtWork;
        this.maxThreads = maxThreads;
        this.clock = clock;
        this.turns = new SharedResource("a turn to write", SharedResource.UNLIMITED, 0, clock).commonPart();
        turns.grantOnlyNext(() -> {}, () -> true);
    }

    /** Has a thread run it when it is its holder's turn. */
    public void execute(final Holder holder, final Runnable turn) {
        final Grant waiting = turns.request(holder, turn);
        try {
            startThreads();
        } catch (final Throwable e) {
            if (takeBack(waiting)) {
                throw e;
            }
        }
    }

    /** @return whether no thread will run it, and it was taken out of the queue */
    private synchronized boolean takeBack(final Grant turn) {
        return running.isEmpty() && turn.stopWaiting();
    }

    /** Begins turns beside those that are blocked; to be called a few times a second. */
    public void startThreads() {
        for (Object thread = reserve(); thread != null; thread = reserve()) {
            final Object started = thread;
            try {
                threads.execute(() -> runTurns(started));
            } catch (final Throwable e) {
                giveUp(started);
                throw e;
            }
        }
    }

    private synchronized Object reserve() {
        if (turns.waiting() == 0 || !mayRun()) {
            return null;
        }
        final Object thread = new Object();
        running.put(thread, clock.nanoTime());
        return thread;
    }

    private boolean mayRun() {
        final long now = clock.nanoTime();
        final long atWork = running.values().stream()
                .filter(began -> now - began < BLOCKED_NANOS)
                .count();
        return atWork < maxAtWork && running.size() < maxThreads;
    }

    private synchronized void giveUp(final Object thread) {
        running.remove(thread);
    }

    private void runTurns(final Object thread) {
        for (Grant turn = nextTurn(thread); turn != null; turn = nextTurn(thread)) {
            try (Grant current = turn) {
                Guarded.run("Writing contents for a turn", current::call);
            }
        }
    }

    private synchronized Grant nextTurn(final Object thread) {
        running.remove(thread);
        if (!mayRun()) {
            return null;
        }
        final Grant next = turns.next();
        if (next != null) {
            running.put(thread, clock.nanoTime());
        }
        return next;
    }
}
