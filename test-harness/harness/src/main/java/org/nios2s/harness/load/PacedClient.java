// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One logical client: does its transactions one after the other, when the plan says so. Lives on its transactor's threads,
 * one at a time; only {@link #start} and {@link #abandon} are called elsewhere.
 */
final class PacedClient implements Transactor.Listener {

    /** How long a client that finds nobody waits before its next transaction, so that it does not spin. */
    private static final long NOBODY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long EMPTY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private enum State {
        WAITING,
        IN_TRANSACTION,
        ENDED
    }

    private final int client;
    private final RunPlan plan;
    private final Transactor transactor;
    private final LoadMeter meter;
    private final Runnable onEnd;
    private final ClientTally tally;
    private final TransactionTimes times = new TransactionTimes();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private int transaction;
    private long notBefore;

    /** A client that has not begun. */
    PacedClient(
            final int client,
            final RunPlan plan,
            final Transactor transactor,
            final LoadMeter meter,
            final Runnable onEnd) {
        this.client = client;
        this.plan = plan;
        this.transactor = transactor;
        this.meter = meter;
        this.onEnd = onEnd;
        this.tally = new ClientTally(client, meter);
        this.notBefore = plan.clientStart(client);
    }

    /** Begins when the plan says so. */
    void start() {
        after(notBefore - System.nanoTime(), () -> {
            if (state.get() == State.WAITING) {
                tally.begin();
                next();
            }
        });
    }

    /** Gives up what is in flight and ends. */
    void abandon() {
        final State before = state.getAndSet(State.ENDED);
        if (before == State.IN_TRANSACTION) {
            meter.abandoned();
        }
        if (before != State.ENDED) {
            end();
        }
    }

    ClientTally tally() {
        return tally;
    }

    private void next() {
        final long now = System.nanoTime();
        final long intended = plan.intendedStart(client, transaction, now);
        if (!plan.includes(transaction, intended, now)) {
            if (state.compareAndSet(State.WAITING, State.ENDED)) {
                plan.neverBegun(client, transaction, meter);
                end();
            }
            return;
        }
        final long wait = Math.max(intended - now, notBefore - now);
        if (wait > 0) {
            after(wait, () -> begin(intended, now + wait));
        } else {
            transactor.onward().execute(() -> begin(intended, now));
        }
    }

    private void begin(final long intended, final long due) {
        if (state.compareAndSet(State.WAITING, State.IN_TRANSACTION)) {
            meter.began(System.nanoTime() - due);
            times.start(intended);
            transactor.begin(transaction, times, this);
        }
    }

    @Override
    public void finished(final boolean destinationFull, final long bytes) {
        if (state.compareAndSet(State.IN_TRANSACTION, State.WAITING)) {
            tally.succeeded(transaction, times, destinationFull, bytes);
            transaction++;
            next();
        }
    }

    @Override
    public void empty() {
        after(EMPTY_PAUSE_NANOS, () -> {
            if (state.get() == State.IN_TRANSACTION) {
                transactor.begin(transaction, times, this);
            }
        });
    }

    @Override
    public void failed(final String cause, final boolean nobodyThere) {
        if (state.compareAndSet(State.IN_TRANSACTION, State.WAITING)) {
            tally.failed(cause);
            transaction++;
            notBefore = System.nanoTime() + (nobodyThere ? NOBODY_PAUSE_NANOS : 0);
            // Not from within: a transaction that fails at once must not begin the next one on top of itself.
            transactor.pacer().execute(this::next);
        }
    }

    private void after(final long nanos, final Runnable step) {
        if (state.get() != State.ENDED) {
            transactor.pacer().schedule(step, Math.max(0, nanos), TimeUnit.NANOSECONDS);
        }
    }

    private void end() {
        transactor.close();
        tally.end();
        onEnd.run();
    }
}
