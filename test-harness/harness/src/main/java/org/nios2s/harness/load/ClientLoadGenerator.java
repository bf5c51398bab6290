// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.nios2s.harness.sink.Parcel;

/**
 * Drives the logical clients of a run on the transactors of one transport. The caller of {@link #drive} waits; each client
 * lives on its client's threads.
 */
public final class ClientLoadGenerator implements LoadGenerator {

    /** How long a client that finds nobody waits before its next transaction, so that it does not spin. */
    private static final long NOBODY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long EMPTY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final String run;
    private final LoadSettings settings;
    private final Supplier<LoadClient.Factory> transport;
    private final Consumer<List<Parcel>> received;
    private final LoadRecorder recorder;
    private final CountDownLatch running;
    private final List<Client> clients = new ArrayList<>();
    private boolean stopped;

    /** A generator for one run, whose name is the first part of the packet ids; it opens the transport when it is driven. */
    public ClientLoadGenerator(
            final String run, final LoadSettings settings, final Supplier<LoadClient.Factory> transport) {
        this(run, settings, transport, parcels -> {});
    }

    /** @param received takes what each finished pull has got, on the thread on which it ends */
    public ClientLoadGenerator(
            final String run,
            final LoadSettings settings,
            final Supplier<LoadClient.Factory> transport,
            final Consumer<List<Parcel>> received) {
        this.run = run;
        this.settings = settings;
        this.transport = transport;
        this.received = received;
        this.recorder = new LoadRecorder(settings);
        this.running = new CountDownLatch(settings.clients());
    }

    @Override
    public LoadOutcome drive() throws InterruptedException {
        try (LoadClient.Factory opened = transport.get()) {
            final LoopDelay ticks = new LoopDelay(opened.loops(), recorder::loopWasLate);
            try (ticks) {
                return drive(opened);
            }
        }
    }

    private LoadOutcome drive(final LoadClient.Factory opened) throws InterruptedException {
        final Instant started = Instant.now();
        final long startNanos = System.nanoTime();
        startClients(opened);
        try {
            running.await();
        } finally {
            stop();
        }
        final Duration wall = Duration.ofNanos(System.nanoTime() - startNanos);
        final List<ClientStats> stats =
                clients.stream().map(client -> client.stats).toList();
        return recorder.outcome(run, started, wall, stats);
    }

    private void startClients(final LoadClient.Factory opened) {
        final RunPlan plan = new RunPlan(settings);
        if (!settings.duration().isZero()) {
            recorder.endsAt(plan.endNanos());
        }
        synchronized (clients) {
            for (int number = 0; number < settings.clients(); number++) {
                final Client client = new Client(number, plan, opened.of(number));
                clients.add(client);
                client.start();
            }
            if (stopped) {
                clients.forEach(Client::abandon);
            }
        }
    }

    @Override
    public void stop() {
        synchronized (clients) {
            stopped = true;
            clients.forEach(Client::abandon);
        }
    }

    @Override
    public LoadRecorder recorder() {
        return recorder;
    }

    /**
     * One logical client: does its transactions one after the other, when the plan says so. Lives on its client's
     * threads, one at a time; only {@link #start} and {@link #abandon} are called elsewhere.
     */
    private final class Client implements LoadClient.Listener {

        private enum State {
            WAITING,
            IN_TRANSACTION,
            ENDED
        }

        private final int number;
        private final RunPlan plan;
        private final LoadClient client;
        private final ClientStats stats;
        private final TransactionTimes times = new TransactionTimes();
        private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
        private int transaction;
        /** Where a pace has put the transaction. */
        private long put;

        private long notBefore;

        Client(final int number, final RunPlan plan, final LoadClient client) {
            this.number = number;
            this.plan = plan;
            this.client = client;
            this.stats = new ClientStats(number, recorder);
            this.put = plan.clientStart(number);
            this.notBefore = put;
        }

        /** Begins when the plan says so. */
        void start() {
            after(notBefore - System.nanoTime(), () -> {
                if (state.get() == State.WAITING) {
                    stats.begin();
                    next();
                }
            });
        }

        /** Gives up what is in flight and ends. */
        void abandon() {
            final State before = state.getAndSet(State.ENDED);
            if (before == State.IN_TRANSACTION) {
                recorder.abandoned();
            }
            if (before != State.ENDED) {
                end();
            }
        }

        private void next() {
            final long now = System.nanoTime();
            final long intended = plan.intendedStart(put, now);
            if (!plan.includes(transaction, intended, now)) {
                timeIsOver(State.WAITING);
                return;
            }
            final long wait = Math.max(intended - now, notBefore - now);
            if (wait > 0) {
                after(wait, () -> begin(intended, now + wait));
            } else {
                client.onward().execute(() -> begin(intended, now));
            }
        }

        private void begin(final long intended, final long due) {
            if (state.compareAndSet(State.WAITING, State.IN_TRANSACTION)) {
                recorder.began(System.nanoTime() - due);
                times.start(intended);
                client.begin(transaction, times, this);
            }
        }

        @Override
        public void finished(final boolean destinationFull, final Transferred moved) {
            // Also of a client that was stopped meanwhile: the packets have left the port.
            received.accept(moved.received());
            if (state.compareAndSet(State.IN_TRANSACTION, State.WAITING)) {
                stats.succeeded(transaction, times, destinationFull, moved.flowFiles(), moved.bytes());
                advance();
                next();
            }
        }

        @Override
        public void empty() {
            after(EMPTY_PAUSE_NANOS, () -> {
                final long now = System.nanoTime();
                if (!plan.includes(transaction, now, now)) {
                    timeIsOver(State.IN_TRANSACTION);
                } else if (state.get() == State.IN_TRANSACTION) {
                    client.begin(transaction, times, this);
                }
            });
        }

        /** @param before of a client that waits for its next transaction, or finds nothing to pull */
        private void timeIsOver(final State before) {
            if (state.compareAndSet(before, State.ENDED)) {
                plan.missed(number, transaction, put, recorder);
                end();
            }
        }

        @Override
        public void failed(final String cause, final boolean nobodyThere) {
            if (state.compareAndSet(State.IN_TRANSACTION, State.WAITING)) {
                stats.failed(cause, times);
                advance();
                notBefore = System.nanoTime() + (nobodyThere ? NOBODY_PAUSE_NANOS : 0);
                // Not from within: a transaction that fails at once must not begin the next one on top of itself.
                client.pacer().execute(this::next);
            }
        }

        private void advance() {
            put += plan.gap(number, transaction);
            transaction++;
        }

        private void after(final long nanos, final Runnable step) {
            if (state.get() != State.ENDED) {
                client.pacer().schedule(step, Math.max(0, nanos), TimeUnit.NANOSECONDS);
            }
        }

        private void end() {
            client.close();
            stats.end();
            running.countDown();
        }
    }
}
