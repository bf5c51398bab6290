// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.nio;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.nios2s.client.InputPort;
import org.nios2s.client.Milestones;
import org.nios2s.client.OutputPort;
import org.nios2s.client.Packet;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.harness.load.ClientTally;
import org.nios2s.harness.load.FailureCause;
import org.nios2s.harness.load.LoadMeter;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.PacketFactory;
import org.nios2s.harness.load.RunPlan;
import org.nios2s.harness.load.TransactionTimes;

/**
 * One logical client on the connector that all share: does its transactions one after the other. Lives on the pacer's
 * thread and on the IO worker that completed its last transaction, one at a time; only {@link #start}, {@link #abandon}
 * and the constructor run elsewhere.
 */
final class NioClient {

    private static final long EMPTY_PAUSE_MILLIS = 10;

    private enum State {
        WAITING,
        IN_TRANSACTION,
        ENDED
    }

    private final int client;
    private final Setting setting;
    private final LoadMeter meter;
    private final Runnable onEnd;
    private final ClientTally tally;
    private final TransactionTimes times = new TransactionTimes();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    private volatile CompletableFuture<TransactionResult> inFlight;
    private int transaction;

    /**
     * What all clients of a run have in common. Immutable.
     *
     * @param run       name of the run
     * @param load      what to send
     * @param plan      when
     * @param packets   what is sent
     * @param input     where to push, or null
     * @param output    where to pull from, or null
     * @param pacer     starts what has its time
     */
    record Setting(
            String run,
            LoadSettings load,
            RunPlan plan,
            PacketFactory packets,
            InputPort input,
            OutputPort output,
            ScheduledExecutorService pacer) {}

    /** A client that has not begun. */
    NioClient(final int client, final Setting setting, final LoadMeter meter, final Runnable onEnd) {
        this.client = client;
        this.setting = setting;
        this.meter = meter;
        this.onEnd = onEnd;
        this.tally = new ClientTally(client, meter);
    }

    /** Begins when the plan says so. */
    void start() {
        final long delay = setting.plan().clientStart(client) - System.nanoTime();
        setting.pacer()
                .schedule(
                        () -> {
                            tally.begin();
                            next();
                        },
                        Math.max(0, delay),
                        TimeUnit.NANOSECONDS);
    }

    /** Gives up what is in flight and ends. */
    void abandon() {
        final State before = state.getAndSet(State.ENDED);
        final CompletableFuture<TransactionResult> given = inFlight;
        if (before == State.IN_TRANSACTION) {
            meter.abandoned();
        }
        if (given != null) {
            given.cancel(false);
        }
        if (before != State.ENDED) {
            tally.end();
            onEnd.run();
        }
    }

    ClientTally tally() {
        return tally;
    }

    private void next() {
        final long now = System.nanoTime();
        final long intended = setting.plan().intendedStart(client, transaction, now);
        if (!setting.plan().includes(transaction, intended, now)) {
            if (state.compareAndSet(State.WAITING, State.ENDED)) {
                setting.plan().neverBegun(client, transaction, meter);
                tally.end();
                onEnd.run();
            }
        } else if (intended - now > 0) {
            setting.pacer().schedule(() -> begin(intended, intended), intended - now, TimeUnit.NANOSECONDS);
        } else {
            begin(intended, now);
        }
    }

    private void begin(final long intended, final long due) {
        if (!state.compareAndSet(State.WAITING, State.IN_TRANSACTION)) {
            return;
        }
        meter.began(System.nanoTime() - due);
        times.start(intended);
        final CompletableFuture<TransactionResult> pushed = transact();
        inFlight = pushed;
        pushed.whenComplete(this::ended);
        if (state.get() == State.ENDED) {
            pushed.cancel(false);
        }
    }

    private CompletableFuture<TransactionResult> transact() {
        if (setting.output() != null) {
            return setting.output().pull(packet -> packet.content().skipNBytes(packet.size()));
        }
        final PacketFactory factory = setting.packets();
        final List<Packet> packets = new ArrayList<>(factory.packets());
        for (int packet = 0; packet < factory.packets(); packet++) {
            packets.add(Packet.of(
                    factory.attributes(client, transaction, packet), factory.content(client, transaction, packet)));
        }
        return setting.input().send(packets);
    }

    private void ended(final TransactionResult result, final Throwable failure) {
        if (!state.compareAndSet(State.IN_TRANSACTION, State.WAITING)) {
            return;
        }
        if (failure == null && result.packets() == 0) {
            // The output port has nothing at this moment: the transaction goes on when it may have.
            setting.pacer()
                    .schedule(
                            () -> begin(times.intendedNanos(), System.nanoTime()),
                            EMPTY_PAUSE_MILLIS,
                            TimeUnit.MILLISECONDS);
        } else if (failure == null) {
            succeeded(result);
            transaction++;
            next();
        } else {
            tally.failed(cause(failure));
            transaction++;
            // Not from within: a transaction that fails at once must not begin the next one on top of itself.
            setting.pacer().execute(this::next);
        }
    }

    private void succeeded(final TransactionResult result) {
        final Milestones milestones = result.milestones();
        times.reached(milestones.connected(), milestones.transferred(), milestones.confirmed(), result.duration());
        tally.succeeded(transaction, times, result.destinationFull(), result.bytes());
    }

    private static String cause(final Throwable failure) {
        return failure instanceof final TransactionException known
                ? FailureCause.of("in step " + known.step(), known.reason().toString())
                : FailureCause.of("with the NIO client", failure);
    }
}
