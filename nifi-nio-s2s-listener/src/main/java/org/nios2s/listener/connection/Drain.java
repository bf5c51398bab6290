// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the listener serves its peers or sends them elsewhere, and how many it has yet to let go. Thread-safe.
 *
 * <p>A connection counts from the moment when its peer may begin transactions until it is gone. None is added while the listener
 * drains. The listener is empty when the last one has left and no commit of a peer that has left is under way. Peers that named no
 * port can only ask for the list of peers; they do not count.
 *
 * <pre>
 * SERVING ◄─ resume ─┬─────────┐
 *    └─── drain ─► DRAINING ─► EMPTY      any of them ─ stop ─► STOPPED
 * </pre>
 */
public final class Drain {
    private static final Logger logger = LoggerFactory.getLogger(Drain.class);

    /** The treatment of new transactions. */
    public enum State {
        /** They are served. */
        SERVING,
        /** None begins; some are under way, or their connections are about to be closed. */
        DRAINING,
        /** None begins, and no peer is connected to a port. */
        EMPTY,
        /** The listener has stopped. */
        STOPPED
    }

    private final int port;
    private final IntSupplier transactions;
    private final NanoClock clock;
    private int connections;
    private volatile State state = State.SERVING;

    /**
     * @param port of the listener, for the log
     * @param transactions how many are under way, those included whose peer has left
     */
    public Drain(final int port, final IntSupplier transactions, final NanoClock clock) {
        this.port = port;
        this.transactions = transactions;
        this.clock = clock;
    }

    /** @return whether peers are sent elsewhere */
    public boolean isDraining() {
        return state != State.SERVING;
    }

    /** @return how things are, in a sentence for the operator */
    public synchronized String describe() {
        return switch (state) {
            case SERVING -> "The listener serves its peers";
            case DRAINING -> "The listener drains: " + describeLeft();
            case EMPTY -> "The listener is empty: no peer is connected to a port, and no transaction begins";
            case STOPPED -> "The listener has stopped";
        };
    }

    private String describeLeft() {
        if (connections > 0) {
            return connections + " connections are left";
        }
        return "no connection is left, but transactions of peers that have left are being committed";
    }

    /** @return whether a connection may begin transactions; it then counts until {@link #release} */
    synchronized boolean admit() {
        if (isDraining()) {
            return false;
        }
        connections++;
        return true;
    }

    /** A connection that was admitted is gone. */
    synchronized void release() {
        connections--;
        endIfEmpty();
    }

    /** @return how many connections the listener has yet to let go, or transactions whose peer has left; 0 while it serves */
    public synchronized int connectionsLeft() {
        if (state != State.DRAINING) {
            return 0;
        }
        return Math.max(1, connections);
    }

    /** Looks whether the last transaction has ended; called a few times a second. */
    public synchronized void check() {
        endIfEmpty();
    }

    /** @return whether the listener served until now: then those who call look after idle connections */
    public synchronized boolean begin() {
        if (state != State.SERVING) {
            return false;
        }
        state = State.DRAINING;
        logger.info(
                "The NIO Site-to-Site listener on port {} drains: new peers are told that their port is not running; {}"
                        + " connections are left",
                port,
                connections);
        endIfEmpty();
        return true;
    }

    private void endIfEmpty() {
        if (state == State.DRAINING && connections == 0 && transactions.getAsInt() == 0) {
            state = State.EMPTY;
            logger.info(
                    "The NIO Site-to-Site listener on port {} is empty: no peer is connected to a port, and no transaction begins until"
                            + " it is told to resume",
                    port);
            notifyAll();
        }
    }

    /** Peers are served again. */
    public synchronized void resume() {
        if (state == State.DRAINING || state == State.EMPTY) {
            state = State.SERVING;
            logger.info("The NIO Site-to-Site listener on port {} has resumed: peers are served again", port);
            notifyAll();
        }
    }

    /** The listener stops, and connections are no longer counted. */
    public synchronized void stop() {
        state = State.STOPPED;
        notifyAll();
    }

    /**
     * Waits until the listener has drained, has resumed or has stopped, or the time is over. Blocks.
     *
     * @return how the listener is then
     */
    public synchronized State await(final long millis) throws InterruptedException {
        final long beganNanos = clock.nanoTime();
        long left = millis;
        while (state == State.DRAINING && left > 0) {
            wait(left);
            left = millis - TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - beganNanos);
        }
        return state;
    }
}
