// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.load.ClientTally;
import org.nios2s.harness.load.FailureCause;
import org.nios2s.harness.load.LoadMeter;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.RunPlan;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.TransactionTimes;

/**
 * One logical client: does its transactions one after the other over a connection of its own, and connects again after
 * a failure or, if the load says so, for every transaction. Lives on one event loop; only {@link #start}, {@link #abandon} and the constructor run elsewhere.
 */
final class WireClient implements WireConversation.Listener {

    /** How long a client that cannot connect waits before its next transaction, so that it does not spin. */
    private static final long RECONNECT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long EMPTY_PAUSE_MILLIS = 10;
    private static final int NONE_YET = -1;

    private final int client;
    private final Setting setting;
    private final EventLoop eventLoop;
    private final LoadMeter meter;
    private final Runnable onEnd;
    private final ClientTally tally;
    private final TransactionTimes times = new TransactionTimes();

    private WireConversation conversation;
    private int transaction = NONE_YET;
    private long notBefore;
    private boolean inTransaction;
    private boolean ended;

    /**
     * What all clients of a run have in common. Immutable.
     *
     * @param load      what to send
     * @param target    where to
     * @param plan      when
     * @param writer    writes a transaction's packets
     * @param bootstrap makes connections
     * @param tls       makes the TLS engine of a connection, or null
     */
    record Setting(
            LoadSettings load,
            TargetAddress target,
            RunPlan plan,
            TransactionWriter writer,
            Bootstrap bootstrap,
            SslContext tls) {}

    /** A client that has not begun. */
    WireClient(
            final int client,
            final Setting setting,
            final EventLoop eventLoop,
            final LoadMeter meter,
            final Runnable onEnd) {
        this.client = client;
        this.setting = setting;
        this.eventLoop = eventLoop;
        this.meter = meter;
        this.onEnd = onEnd;
        this.tally = new ClientTally(client, meter);
        this.notBefore = setting.plan().clientStart(client);
    }

    /** Begins when the plan says so. */
    void start() {
        final long delay = setting.plan().clientStart(client) - System.nanoTime();
        eventLoop.schedule(
                () -> {
                    tally.begin();
                    next();
                },
                Math.max(0, delay),
                TimeUnit.NANOSECONDS);
    }

    /** Gives up what is in flight and ends. */
    void abandon() {
        eventLoop.execute(() -> {
            if (inTransaction) {
                meter.abandoned();
            }
            end();
        });
    }

    ClientTally tally() {
        return tally;
    }

    private void next() {
        if (ended) {
            return;
        }
        transaction++;
        final long now = System.nanoTime();
        final long intended = setting.plan().intendedStart(client, transaction, now);
        if (!setting.plan().includes(transaction, intended, now)) {
            setting.plan().neverBegun(client, transaction, meter);
            end();
            return;
        }
        final long wait = Math.max(intended, notBefore) - now;
        final long due = now + Math.max(0, wait);
        if (wait > 0) {
            eventLoop.schedule(() -> begin(intended, due), wait, TimeUnit.NANOSECONDS);
        } else {
            // Not from within the last answer's callback: a client that never waits must not starve its neighbours.
            eventLoop.execute(() -> begin(intended, due));
        }
    }

    private void begin(final long intended, final long due) {
        if (ended) {
            return;
        }
        meter.began(System.nanoTime() - due);
        inTransaction = true;
        times.start(intended);
        if (conversation != null && conversation.isReady()) {
            onReady();
        } else {
            connect();
        }
    }

    private void connect() {
        final WireConversation fresh = new WireConversation(setting.target(), setting.load(), this);
        conversation = fresh;
        final ChannelHandler handlers = new WirePipeline(
                setting.target(), setting.tls(), client, setting.load().timeout(), fresh);
        final ChannelFuture connected =
                setting.bootstrap().clone(eventLoop).handler(handlers).connect();
        connected.addListener(future -> {
            if (!future.isSuccess()) {
                notBefore = System.nanoTime() + RECONNECT_PAUSE_NANOS;
                onFailure(FailureCause.of("connecting", future.cause()));
            }
        });
    }

    @Override
    public void onReady() {
        if (ended) {
            return;
        }
        times.created();
        if (setting.load().shape().direction() == Direction.PUSH) {
            conversation.send(setting.writer(), client, transaction);
        } else {
            conversation.receive();
        }
    }

    @Override
    public void onNothing() {
        eventLoop.schedule(this::askAgain, EMPTY_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void askAgain() {
        if (!ended && conversation != null && conversation.isReady()) {
            conversation.receive();
        }
    }

    @Override
    public void onSent() {
        times.sent();
    }

    @Override
    public void onConfirmed() {
        times.confirmed();
    }

    @Override
    public void onFinished(final boolean destinationFull) {
        times.completed();
        inTransaction = false;
        final long bytes = setting.load().shape().direction() == Direction.PUSH
                ? setting.writer().bytes(client, transaction)
                : conversation.receivedBytes();
        tally.succeeded(transaction, times, destinationFull, bytes);
        if (setting.load().reconnect()) {
            conversation.shutDown();
            conversation = null;
        }
        next();
    }

    @Override
    public void onFailure(final String cause) {
        conversation = null;
        if (!inTransaction) {
            // The server closed an idle connection; the next transaction makes another.
            return;
        }
        inTransaction = false;
        tally.failed(cause);
        next();
    }

    private void end() {
        if (ended) {
            return;
        }
        ended = true;
        inTransaction = false;
        tally.end();
        if (conversation != null) {
            conversation.shutDown();
        }
        onEnd.run();
    }
}
