// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.ClientStatistics;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to one {@link Endpoint} and the transactions that wait for one. Any thread; its lock is held for
 * moments and never while something else is called.
 *
 * <p>A transaction takes the connection that was used last; a new one is opened only while transactions wait and the
 * limit allows it. When a connection could not be opened and there is no other, the transaction that waits longest fails
 * with its cause, for it was opened for that one; all fail if the cause is one that stays, or is what NiFi says of the
 * port. Transactions that may go to another peer do not wait here then, nor while the first connection is long in opening:
 * they have not begun, so nothing can be doubled. The next attempt pauses a random time, which grows with every failure in
 * a row; those that were opened together count once. A pool that nobody needs any more is retired.
 */
final class ConnectionPool implements Attempt.Pool, HandshakeExchange.Listener, ClientConnection.CloseListener {
    /** Opens connections and runs tasks later. */
    interface Opener {
        void open(ConnectionPool pool);

        /** The pool takes no transaction any more, and none is in it. */
        void retired(ConnectionPool pool);

        void later(Runnable task, long nanos);

        /** @return whether the peer could be connected to before, as far as is known: this is news */
        boolean failed(String peer);

        void connected(String peer);
    }

    /**
     * The work to be done for attempts that wait.
     *
     * @param connections to be opened now
     * @param pauseNanos after which to look again; 0 for not at all
     * @param watch whether to look later if they are long in opening
     */
    private record Missing(int connections, long pauseNanos, boolean watch) {}

    private static final Logger logger = LoggerFactory.getLogger(ConnectionPool.class);

    /** NiFi's answer about a port is true for all attempts that wait for it, and tells their callers more than a time-out. */
    private static final Set<FailureReason> SAID_OF_PORT =
            EnumSet.of(FailureReason.DESTINATION_FULL, FailureReason.PORT_NOT_RUNNING);

    private static final int LARGEST_BACKOFF_SHIFT = 20;
    /** A connection that opens takes some milliseconds; a node that hangs takes the whole time-out. */
    private static final long LONG_OPENING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Endpoint port;
    private final ConnectionOptions settings;
    private final Opener opener;
    private final ClientObserver observer;

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<ClientConnection> idle = new ArrayDeque<>();
    private final Set<ClientConnection> open = new HashSet<>();
    private final Set<Attempt> waiting = new LinkedHashSet<>();
    private int opening;
    /** Those of them for which nobody waits any more. */
    private int unwanted;

    /** Since when the pool has had no connection and opened one, by {@link System#nanoTime}. */
    private long openingSinceNanos;

    private boolean watchingOpening;

    private int failuresInRow;
    /** Whether a connection was begun after the last failure that counted. */
    private boolean begunSinceFailure;

    private long pauseUntil = System.nanoTime();
    private boolean pausing;
    private boolean closed;
    private boolean retired;

    ConnectionPool(
            final Endpoint port, final ConnectionOptions settings, final Opener opener, final ClientObserver observer) {
        this.port = port;
        this.settings = settings;
        this.opener = opener;
        this.observer = observer;
        sweepLater();
    }

    Endpoint port() {
        return port;
    }

    /**
     * Gives the transaction a connection as soon as there is one.
     *
     * @return whether the pool cares for the transaction; not if it is retired
     */
    @Override
    public boolean submit(final Attempt attempt) {
        ClientConnection taken = null;
        TransactionException refusal = null;
        Missing missing = null;
        lock.lock();
        try {
            if (retired) {
                return false;
            }
            if (closed) {
                refusal = closedFailure();
            } else if (!idle.isEmpty()) {
                taken = idle.pop();
            } else if (waiting.size() >= (long) settings.maxPending() + mostOpening()) {
                refusal = waitingFailure(
                        FailureReason.TOO_MANY_PENDING,
                        waiting.size() + " transactions wait for one of " + settings.maxConnections()
                                + " connections already; send slower, or allow more of either",
                        null);
            } else {
                waiting.add(attempt);
                // In one with the adding: one that is forgotten now
                // must not leave it the connection that it waited for.
                missing = countMissing();
            }
        } finally {
            lock.unlock();
        }
        if (refusal != null) {
            attempt.fail(refusal);
        } else if (taken != null) {
            give(taken, attempt);
        } else {
            attempt.awaitConnection();
            open(missing);
        }
        return true;
    }

    /** The transaction does not wait any more. */
    @Override
    public void forget(final Attempt attempt) {
        lock.lock();
        try {
            waiting.remove(attempt);
            // The connection that was opening for it may hang: the next attempt gets a connection of its own.
            unwanted = Math.max(unwanted, opening - waiting.size());
        } finally {
            lock.unlock();
        }
    }

    /** @return connections that may be opening at a time: after a failure one, which shows whether the peer is back */
    private int mostOpening() {
        final int wanted = failuresInRow > 0 ? 1 : Integer.MAX_VALUE - unwanted;
        return Math.min(wanted + unwanted, settings.maxConnections() - open.size());
    }

    private TransactionException waitingFailure(
            final FailureReason reason, final String message, final Throwable cause) {
        return port.failure(TransactionStep.WAIT_FOR_CONNECTION, reason, message, cause);
    }

    private void give(final ClientConnection connection, final Attempt attempt) {
        try {
            connection.execute(() -> {
                if (connection.isEnded()) {
                    resubmit(attempt);
                } else if (!attempt.begin(connection)) {
                    release(connection);
                }
            });
        } catch (final RejectedExecutionException e) {
            attempt.fail(closedFailure());
        }
    }

    private void resubmit(final Attempt attempt) {
        if (!submit(attempt)) {
            attempt.fail(waitingFailure(FailureReason.CONNECTION_LOST, "The peer closed the unused connection", null));
        }
    }

    private TransactionException closedFailure() {
        return waitingFailure(FailureReason.CLIENT_CLOSED, "The client was closed", null);
    }

    private void openWhatIsMissing() {
        final Missing missing;
        lock.lock();
        try {
            missing = countMissing();
        } finally {
            lock.unlock();
        }
        open(missing);
    }

    /** Called with the lock held; what it counts is to be opened. */
    private Missing countMissing() {
        int missing = 0;
        long pause = 0;
        boolean watch = false;
        final long left = pauseUntil - System.nanoTime();
        if (failuresInRow > 0 && left > 0) {
            if (!pausing && !waiting.isEmpty() && !closed) {
                pausing = true;
                pause = left;
            }
        } else {
            final boolean first = opening == 0;
            while (!closed && opening < Math.min(mostOpening(), waiting.size() + unwanted)) {
                opening++;
                missing++;
                begunSinceFailure = true;
            }
            if (first && missing > 0) {
                openingSinceNanos = System.nanoTime();
            }
            watch = !watchingOpening && opening > 0 && open.isEmpty();
            watchingOpening |= watch;
        }
        return new Missing(missing, pause, watch);
    }

    private void open(final Missing missing) {
        if (missing.pauseNanos() > 0) {
            opener.later(this::endPause, missing.pauseNanos());
        }
        if (missing.watch()) {
            opener.later(this::lookAtOpening, LONG_OPENING_NANOS);
        }
        for (int i = 0; i < missing.connections(); i++) {
            opener.open(this);
        }
    }

    /** Looks again as long as no connection is there. */
    private void lookAtOpening() {
        final boolean isLong;
        lock.lock();
        try {
            watchingOpening = opening > 0 && open.isEmpty() && !closed;
            isLong = watchingOpening && System.nanoTime() - openingSinceNanos >= LONG_OPENING_NANOS;
            if (!watchingOpening) {
                return;
            }
        } finally {
            lock.unlock();
        }
        opener.later(this::lookAtOpening, LONG_OPENING_NANOS);
        if (isLong) {
            sendElsewhere(waitingFailure(
                    FailureReason.CONNECT_FAILED,
                    "No connection is open yet, and the one being opened is long in coming: another peer is tried",
                    null));
        }
    }

    /** Fails what waits here and need not. */
    private void sendElsewhere(final TransactionException failure) {
        final List<Attempt> here;
        lock.lock();
        try {
            here = new ArrayList<>(waiting);
        } finally {
            lock.unlock();
        }
        final List<Attempt> leaving =
                here.stream().filter(Attempt::mayGoElsewhere).toList();
        final List<Attempt> failing = new ArrayList<>();
        lock.lock();
        try {
            for (final Attempt attempt : leaving) {
                // Meanwhile it may have got a connection.
                if (waiting.remove(attempt)) {
                    failing.add(attempt);
                }
            }
        } finally {
            lock.unlock();
        }
        failing.forEach(attempt -> attempt.fail(failure));
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
    public void opened(final ClientConnection connection) {
        final boolean late;
        lock.lock();
        try {
            opening--;
            unwanted = Math.min(unwanted, opening);
            failuresInRow = 0;
            late = closed;
            if (!late) {
                open.add(connection);
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            connection.shutDown(closedFailure());
        } else {
            opener.connected(port.peer());
            SafeObserver.notify(observer, seen -> seen.connectionOpened(connection.observed()));
            release(connection);
            openWhatIsMissing();
        }
    }

    @Override
    public void openingFailed(final TransactionException failure) {
        final List<Attempt> failing = new ArrayList<>();
        final boolean none;
        final boolean late;
        lock.lock();
        try {
            late = closed;
            opening--;
            none = open.isEmpty();
            if (begunSinceFailure) {
                pauseUntil = System.nanoTime() + backoffNanos(failuresInRow);
                failuresInRow++;
                begunSinceFailure = false;
            }
            final boolean wanted = unwanted == 0;
            unwanted -= wanted ? 0 : 1;
            if (open.isEmpty() && !waiting.isEmpty()) {
                if (SAID_OF_PORT.contains(failure.reason())) {
                    failing.addAll(waiting);
                    waiting.clear();
                } else if (failure.reason().isTransient() && !wanted) {
                    logger.debug("A connection to {} failed for which nobody waits", port.peer());
                } else if (failure.reason().isTransient()) {
                    failing.add(pollWaiting());
                } else {
                    failing.addAll(waiting);
                    waiting.clear();
                }
            }
            waiting.forEach(attempt -> attempt.lastOpeningFailure(failure));
        } finally {
            lock.unlock();
        }
        if (!late && opener.failed(port.peer())) {
            logger.warn("No connection to {}: {}", port.peer(), failure.getMessage());
        }
        SafeObserver.notify(observer, seen -> seen.connectionFailed(failure));
        failing.forEach(attempt -> attempt.fail(failure));
        if (none) {
            sendElsewhere(failure);
        }
        openWhatIsMissing();
    }

    /** @return a random time between half and all of the doubled pause */
    private long backoffNanos(final int failures) {
        final long first = TimeUnit.NANOSECONDS.convert(settings.initialBackoff());
        final long longest = TimeUnit.NANOSECONDS.convert(settings.maxBackoff());
        final int shift = Math.min(failures, LARGEST_BACKOFF_SHIFT);
        final long doubled = first > longest >> shift ? longest : first << shift;
        return doubled / 2 + ThreadLocalRandom.current().nextLong(doubled / 2 + 1);
    }

    /** The connection is free: for the one who waits longest, or for later. Called on its IO worker. */
    @Override
    public void release(final ClientConnection connection) {
        if (connection.isEnded()) {
            return;
        }
        Attempt next = null;
        boolean late = false;
        lock.lock();
        try {
            if (closed) {
                late = true;
            } else if (waiting.isEmpty()) {
                connection.idleSince(System.nanoTime());
                idle.push(connection);
            } else {
                next = pollWaiting();
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            connection.shutDown(closedFailure());
        } else if (next != null) {
            give(connection, next);
        }
    }

    private Attempt pollWaiting() {
        final Iterator<Attempt> first = waiting.iterator();
        final Attempt next = first.next();
        first.remove();
        return next;
    }

    private void sweepLater() {
        opener.later(this::sweep, TimeUnit.NANOSECONDS.convert(settings.maxIdleTime()) / 2 + 1);
    }

    private void sweep() {
        final long expiration = TimeUnit.NANOSECONDS.convert(settings.maxIdleTime());
        final long now = System.nanoTime();
        final List<ClientConnection> expired = new ArrayList<>();
        final boolean again;
        final boolean unused;
        lock.lock();
        try {
            while (!idle.isEmpty() && now - idle.peekLast().idleSince() >= expiration) {
                expired.add(idle.pollLast());
            }
            unused = retireIfUnused();
            again = !closed && !unused;
        } finally {
            lock.unlock();
        }
        for (final ClientConnection connection : expired) {
            connection.execute(() -> connection.shutDown(
                    waitingFailure(FailureReason.CONNECTION_LOST, "The connection was idle", null)));
        }
        if (again) {
            sweepLater();
        } else if (unused) {
            opener.retired(this);
        }
    }

    /** Called with the lock held. */
    private boolean retireIfUnused() {
        retired = open.isEmpty() && waiting.isEmpty() && opening == 0 && pauseUntil - System.nanoTime() <= 0;
        return retired;
    }

    @Override
    public void closed(final ClientConnection connection) {
        final boolean wasOpen;
        final boolean unreachable;
        lock.lock();
        try {
            wasOpen = open.remove(connection);
            idle.remove(connection);
            unreachable = open.isEmpty() && pausing;
        } finally {
            lock.unlock();
        }
        if (wasOpen) {
            SafeObserver.notify(observer, seen -> seen.connectionClosed(connection.observed()));
        }
        if (unreachable) {
            sendElsewhere(waitingFailure(
                    FailureReason.CONNECT_FAILED,
                    "The last connection is closed, and another one could not be opened: another peer is tried",
                    null));
        }
        openWhatIsMissing();
    }

    /** Ends what waits; connections are closed with the engine's IO workers. */
    void close() {
        final List<Attempt> failing;
        final List<ClientConnection> unused;
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
        failing.forEach(attempt -> attempt.fail(closedFailure()));
        unused.forEach(connection -> connection.execute(() -> connection.shutDown(closedFailure())));
    }

    ClientStatistics statistics() {
        lock.lock();
        try {
            return new ClientStatistics(open.size(), idle.size(), waiting.size(), open.size() - idle.size(), 0, 0);
        } finally {
            lock.unlock();
        }
    }
}
