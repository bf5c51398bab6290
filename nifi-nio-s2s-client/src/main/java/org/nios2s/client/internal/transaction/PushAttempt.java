// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.nios2s.client.AttemptAttributes;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Packet;
import org.nios2s.client.TransactionException;
import org.nios2s.client.internal.connection.Attempt;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.ClientConnection;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.Failures;

/**
 * Pushes packets in one transaction. Lives on the connection's IO worker; a caller's iterator may block and is asked on a
 * virtual thread.
 */
final class PushAttempt extends Attempt {
    /** Null for packets that a feed asks for. */
    private final Iterator<Packet> packets;
    /** Null for packets that are all there. */
    private final OneTimePackets fedPackets;

    private final UnreadablePackets unreadable;
    /** Null for nothing. */
    private final AttemptAttributes added;

    private PushExchange exchange;
    private ClientConnection connection;
    /** Asks the caller's iterator; null where there is none. */
    private volatile PacketFeed feed;
    /** Why the last one of those was left out; belongs to the IO worker. */
    private TransactionException leftOut;
    /** Whether no packet follows; belongs to the IO worker. */
    private boolean fedAll;

    PushAttempt(
            final Endpoint port,
            final List<Packet> packets,
            final UnreadablePackets unreadable,
            final CallOptions options) {
        super(port, options);
        this.added = options.attributes();
        this.unreadable = unreadable;
        this.packets = packets.iterator();
        this.fedPackets = null;
    }

    PushAttempt(final Endpoint port, final OneTimePackets packets, final CallOptions options) {
        super(port, options);
        this.added = options.attributes();
        this.unreadable = UnreadablePackets.FAIL;
        this.packets = null;
        this.fedPackets = packets;
    }

    @Override
    protected void run(final ClientConnection taken) {
        connection = taken;
        exchange = new PushExchange(taken, this::attributes, this::fail);
        exchange.begin();
        if (fedPackets != null) {
            feed = new PacketFeed(port().peer(), fedPackets.take(), this::fed);
            feed.start();
        }
        next();
    }

    private Map<String, String> attributes(final Packet packet) {
        final Map<String, String> own = packet.sentAttributes();
        if (added == null) {
            return own;
        }
        final Map<String, String> all = new HashMap<>(added.of(packet, connection.observed()));
        all.putAll(own);
        return all;
    }

    /** Sends what is there. Whatever is thrown ends the transaction: the futures and tasks that call this hear nothing. */
    private void next() {
        try {
            if (feed == null) {
                sendAll();
            } else if (!connection.isEnded() && !fedAll) {
                sendFed();
            }
        } catch (final RuntimeException | Error e) {
            final TransactionException failure =
                    connection.failure(FailureReason.INTERNAL_ERROR, "The packets can't be sent: " + e, e);
            connection.end(failure);
            fail(failure);
        }
    }

    private void sendFed() {
        boolean sent = true;
        while (sent) {
            final Packet packet = feed.poll();
            if (packet != null) {
                sent = send(packet);
            } else if (feed.isOver()) {
                endFed();
                return;
            } else {
                // The iterator takes its time: what it gave already goes.
                connection.flush();
                return;
            }
        }
    }

    private void endFed() {
        fedAll = true;
        if (feed.failure() != null) {
            packetsFailed(feed.failure());
        } else if (exchange.packets() == 0) {
            packetsFailed(new IllegalArgumentException("a push needs at least one packet"));
        } else {
            confirm();
        }
    }

    /** On the feed's thread. */
    private void fed() {
        try {
            connection.worker().execute(this::next);
        } catch (final RejectedExecutionException e) {
            fail(connection.failure(FailureReason.CLIENT_CLOSED, "The client was closed", e));
        }
    }

    /** @return null if there is none left */
    private Packet nextPacket() {
        if (!packets.hasNext()) {
            return null;
        }
        final Packet packet = packets.next();
        if (packet == null) {
            throw new NullPointerException("packet " + (exchange.packets() + 1) + " is null");
        }
        return packet;
    }

    private void packetsFailed(final Throwable cause) {
        abandon(connection.failure(FailureReason.CONTENT_FAILED, "The packets can't be had: " + cause, cause));
    }

    private void sendAll() {
        boolean sent = true;
        while (sent) {
            final Packet packet;
            try {
                packet = nextPacket();
            } catch (final Throwable e) {
                packetsFailed(e);
                return;
            }
            if (packet == null) {
                endAll();
                return;
            }
            sent = send(packet);
        }
    }

    private void endAll() {
        if (exchange.packets() == 0) {
            abandon(leftOut);
        } else {
            confirm();
        }
    }

    /** @return whether the next one can be sent now; if not, {@link #next} follows, or the transaction's end */
    private boolean send(final Packet packet) {
        final CompletableFuture<Void> sent = exchange.send(packet);
        if (sent.isDone() && !sent.isCompletedExceptionally()) {
            return true;
        }
        sent.whenComplete((nothing, failure) -> {
            if (failure == null) {
                next();
            } else {
                notSent(packet, cause(failure));
            }
        });
        return false;
    }

    private void notSent(final Packet packet, final TransactionException failure) {
        if (exchange.isFailed()) {
            fail(failure);
        } else if (unreadable.leaveOut(packet, failure)) {
            leftOut = failure;
            next();
        } else {
            abandon(failure);
        }
    }

    private void confirm() {
        transferred();
        exchange.confirm().thenRun(this::confirmed);
        exchange.complete().whenComplete((full, failure) -> {
            if (failure == null) {
                succeed(exchange.packets(), exchange.bytes(), full);
            } else {
                fail(cause(failure));
            }
        });
    }

    private TransactionException cause(final Throwable failure) {
        return cause(connection, failure);
    }

    /** @return the failure itself, for a future wraps it when it passes it on */
    static TransactionException cause(final ClientConnection connection, final Throwable failure) {
        final Throwable cause = Failures.causeOf(failure);
        return cause instanceof final TransactionException known
                ? known
                : connection.failure(FailureReason.INTERNAL_ERROR, String.valueOf(cause), cause);
    }

    @Override
    protected void abandon(final TransactionException failure) {
        exchange.abandon(failure);
        fail(failure);
    }

    @Override
    protected void onFailure(final TransactionException failure) {
        final PacketFeed asking = feed;
        if (asking != null) {
            asking.stop();
        }
    }
}
