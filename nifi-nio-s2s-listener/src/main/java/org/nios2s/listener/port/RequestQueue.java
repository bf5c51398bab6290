// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.nios2s.listener.transaction.InboundTransaction;

/**
 * The transactions of one port that both sides have confirmed and that wait for a port task, in order. Thread-safe: IO
 * workers add, port tasks take.
 *
 * <p>It is bounded where a transaction begins: while it is full, no further transaction is read from its peer, so
 * nothing new is taken into memory. Those already under way still enter; a connection has at most one.
 */
final class RequestQueue {
    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final SequencedSet<InboundTransaction> ready = new LinkedHashSet<>();
    private final Deque<Runnable> waitingForRoom = new ArrayDeque<>();

    RequestQueue(final int capacity) {
        this.capacity = capacity;
    }

    void add(final InboundTransaction transaction) {
        lock.lock();
        try {
            ready.addLast(transaction);
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Takes out what its peer gave up. */
    void remove(final InboundTransaction transaction) {
        lock.lock();
        try {
            ready.remove(transaction);
        } finally {
            lock.unlock();
            wakeWaiting();
        }
    }

    /** @return the oldest one, or null */
    InboundTransaction poll() {
        lock.lock();
        try {
            return pollFirst();
        } finally {
            lock.unlock();
            wakeWaiting();
        }
    }

    /**
     * Takes the oldest ones and claims them for the caller, a port task; drops those that their peers gave up.
     *
     * @param maxTransactions most to take
     * @param maxBytes takes no further one when those in {@code target} have so many bytes of content
     */
    void claimInto(final Collection<InboundTransaction> target, final int maxTransactions, final long maxBytes) {
        lock.lock();
        try {
            long bytes = 0;
            for (final InboundTransaction transaction : target) {
                bytes += transaction.bytes();
            }
            while (target.size() < maxTransactions && bytes < maxBytes) {
                final InboundTransaction next = pollFirst();
                if (next == null) {
                    break;
                }
                if (next.claim()) {
                    target.add(next);
                    bytes += next.bytes();
                }
            }
        } finally {
            lock.unlock();
            wakeWaiting();
        }
    }

    /**
     * Waits until there is one, or something else to do.
     *
     * @param somethingElse asked again after {@link #wake}
     * @return whether there is one or something else
     */
    boolean await(final long nanos, final BooleanSupplier somethingElse) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (ready.isEmpty() && !somethingElse.getAsBoolean() && left > 0) {
                left = arrived.awaitNanos(left);
            }
            return !ready.isEmpty() || somethingElse.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    /** Lets one who waits look whether there is something else to do. */
    void wake() {
        lock.lock();
        try {
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return ready.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks for room for another transaction.
     *
     * @param resume called once, on any thread, when there is room; must not block
     * @return true if there is room now; then {@code resume} is not called
     */
    boolean hasRoomOrAwait(final Runnable resume) {
        lock.lock();
        try {
            if (ready.size() < capacity) {
                return true;
            }
            waitingForRoom.addLast(resume);
            return false;
        } finally {
            lock.unlock();
        }
    }

    private InboundTransaction pollFirst() {
        return ready.isEmpty() ? null : ready.removeFirst();
    }

    private void wakeWaiting() {
        while (true) {
            final Runnable resume;
            lock.lock();
            try {
                // One for each place: whoever is woken and has nothing to send gives its place to the next on its way.
                if (waitingForRoom.isEmpty() || ready.size() >= capacity) {
                    return;
                }
                resume = waitingForRoom.pollFirst();
            } finally {
                lock.unlock();
            }
            resume.run();
        }
    }
}
