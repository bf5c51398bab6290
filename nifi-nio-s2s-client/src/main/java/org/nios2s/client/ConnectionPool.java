// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connections to one {@link RemotePort} and the transactions that wait for one. Any thread; its lock is held for
 * moments and never while something else is called.
 *
 * <p>A transaction takes the connection that was used last; a new one is opened only while transactions wait and the
 * limit allows it. When a connection could not be opened and there is no other, those who wait fail with its cause, and
 * the next attempt pauses a growing, random time.
 */
final class ConnectionPool implements Opening.Listener, PeerConnection.CloseListener {
    /** Opens connections and runs tasks later. */
    interface Opener {
        void open(ConnectionPool pool);

        void later(Runnable task, long nanos);
    }

    private static final int LARGEST_BACK_OFF_SHIFT = 20;

    private final RemotePort port;
    private final ConnectorSettings settings;
    private final Opener opener;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<PeerConnection> idle = new ArrayDeque<>();
    private final Set<PeerConnection> open = new HashSet<>();
    private final Set<Transfer> waiting = new LinkedHashSet<>();
    private int opening;
    private int failuresInRow;
    private long pauseUntil;
    private boolean pausing;
    private boolean sweeping;
    private boolean closed;

    ConnectionPool(final RemotePort port, final ConnectorSettings settings, final Opener opener) {
        this.port = port;
        this.settings = settings;
        this.opener = opener;
    }

    RemotePort port() {
        return port;
    }

    /** Gives the transaction a connection as soon as there is one. */
    void submit(final Transfer transfer) {
        PeerConnection taken = null;
        TransactionException refusal = null;
        lock.lock();
        try {
            if (closed) {
                refusal = waitingFailure(FailureReason.CONNECTOR_CLOSED, "The connector is closed", null);
            } else if (!idle.isEmpty()) {
                taken = idle.pop();
            } else if (waiting.size() >= settings.waitingPerPort() && !mayOpen()) {
                refusal = waitingFailure(
                        FailureReason.TOO_MANY_WAITING,
                        waiting.size() + " transactions wait for one of " + settings.connectionsPerPort()
                                + " connections already; send slower, or allow more of either",
                        null);
            } else {
                waiting.add(transfer);
            }
        } finally {
            lock.unlock();
        }
        if (refusal != null) {
            transfer.fail(refusal);
        } else if (taken != null) {
            give(taken, transfer);
        } else {
            openWhatIsMissing();
        }
    }

    /** The transaction does not wait any more. */
    void forget(final Transfer transfer) {
        lock.lock();
        try {
            waiting.remove(transfer);
        } finally {
            lock.unlock();
        }
    }

    private boolean mayOpen() {
        return opening < waiting.size() + 1 && open.size() + opening < settings.connectionsPerPort();
    }

    private TransactionException waitingFailure(
            final FailureReason reason, final String message, final Throwable cause) {
        return new TransactionException(port, TransactionStep.WAIT_FOR_CONNECTION, reason, message, cause);
    }

    private void give(final PeerConnection connection, final Transfer transfer) {
        connection.execute(() -> {
            if (connection.isEnded()) {
                submit(transfer);
            } else if (!transfer.begin(connection)) {
                release(connection);
            }
        });
    }

    private void openWhatIsMissing() {
        int missing = 0;
        long pause = 0;
        lock.lock();
        try {
            final long left = pauseUntil - System.nanoTime();
            if (failuresInRow > 0 && left > 0) {
                if (!pausing && !waiting.isEmpty() && !closed) {
                    pausing = true;
                    pause = left;
                }
            } else {
                // After a failure one attempt at a time shows whether the peer is back.
                final int most = failuresInRow > 0 ? 1 : settings.connectionsPerPort();
                while (!closed
                        && opening < Math.min(most, waiting.size())
                        && open.size() + opening < settings.connectionsPerPort()) {
                    opening++;
                    missing++;
                }
            }
        } finally {
            lock.unlock();
        }
        if (pause > 0) {
            opener.later(this::endPause, pause);
        }
        for (int i = 0; i < missing; i++) {
            opener.open(this);
        }
    }

    private void endPause() {
        lock.lock();
        try {
            pausing = false;
        } finally {
            lock.unlock();
        }
        openWhatIsMissing();
    }

    @Override
    public void opened(final PeerConnection connection) {
        final boolean late;
        lock.lock();
        try {
            opening--;
            failuresInRow = 0;
            late = closed;
            if (!late) {
                open.add(connection);
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            connection.shutDown(waitingFailure(FailureReason.CONNECTOR_CLOSED, "The connector is closed", null));
        } else {
            release(connection);
            openWhatIsMissing();
        }
    }

    @Override
    public void openingFailed(final TransactionException failure) {
        final List<Transfer> failing = new ArrayList<>();
        lock.lock();
        try {
            opening--;
            pauseUntil = System.nanoTime() + backOffNanos(failuresInRow);
            failuresInRow++;
            if (open.isEmpty()) {
                failing.addAll(waiting);
                waiting.clear();
            } else {
                waiting.forEach(transfer -> transfer.lastOpeningFailure(failure));
            }
        } finally {
            lock.unlock();
        }
        failing.forEach(transfer -> transfer.fail(failure));
        openWhatIsMissing();
    }

    /** @return a random time between half and all of the doubled pause */
    private long backOffNanos(final int failures) {
        final long first = TimeUnit.NANOSECONDS.convert(settings.firstBackOff());
        final long longest = TimeUnit.NANOSECONDS.convert(settings.longestBackOff());
        final int shift = Math.min(failures, LARGEST_BACK_OFF_SHIFT);
        final long doubled = first > longest >> shift ? longest : first << shift;
        return doubled / 2 + ThreadLocalRandom.current().nextLong(doubled / 2 + 1);
    }

    /** The connection is free: for the one who waits longest, or for later. Called on its IO worker. */
    void release(final PeerConnection connection) {
        Transfer next = null;
        boolean sweep = false;
        boolean late = false;
        lock.lock();
        try {
            if (!open.contains(connection)) {
                return;
            }
            if (closed) {
                late = true;
            } else if (waiting.isEmpty()) {
                connection.idleSince(System.nanoTime());
                idle.push(connection);
                sweep = !sweeping;
                sweeping = true;
            } else {
                final Iterator<Transfer> first = waiting.iterator();
                next = first.next();
                first.remove();
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            connection.shutDown(waitingFailure(FailureReason.CONNECTOR_CLOSED, "The connector is closed", null));
        } else if (next != null) {
            give(connection, next);
        } else if (sweep) {
            sweepLater();
        }
    }

    private void sweepLater() {
        opener.later(this::sweep, TimeUnit.NANOSECONDS.convert(settings.idleExpiration()) / 2 + 1);
    }

    private void sweep() {
        final long expiration = TimeUnit.NANOSECONDS.convert(settings.idleExpiration());
        final long now = System.nanoTime();
        final List<PeerConnection> expired = new ArrayList<>();
        final boolean again;
        lock.lock();
        try {
            while (!idle.isEmpty() && now - idle.peekLast().idleSince() >= expiration) {
                expired.add(idle.pollLast());
            }
            again = !idle.isEmpty() && !closed;
            sweeping = again;
        } finally {
            lock.unlock();
        }
        for (final PeerConnection connection : expired) {
            connection.execute(() -> connection.shutDown(
                    waitingFailure(FailureReason.CONNECTION_LOST, "The connection was idle", null)));
        }
        if (again) {
            sweepLater();
        }
    }

    @Override
    public void closed(final PeerConnection connection) {
        lock.lock();
        try {
            open.remove(connection);
            idle.remove(connection);
        } finally {
            lock.unlock();
        }
        openWhatIsMissing();
    }

    /** Ends what waits; connections are closed with the connector's IO workers. */
    void close() {
        final List<Transfer> failing;
        final List<PeerConnection> unused;
        lock.lock();
        try {
            closed = true;
            failing = new ArrayList<>(waiting);
            unused = new ArrayList<>(idle);
            waiting.clear();
            idle.clear();
        } finally {
            lock.unlock();
        }
        failing.forEach(transfer ->
                transfer.fail(waitingFailure(FailureReason.CONNECTOR_CLOSED, "The connector was closed", null)));
        unused.forEach(connection -> connection.execute(() ->
                connection.shutDown(waitingFailure(FailureReason.CONNECTOR_CLOSED, "The connector was closed", null))));
    }

    /** @return connections that are open now */
    int openConnections() {
        lock.lock();
        try {
            return open.size();
        } finally {
            lock.unlock();
        }
    }
}
