// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.nios2s.client.Packet;
import org.nios2s.client.internal.connection.NewerJava;

/**
 * Asks an iterator for packets, a few ahead of what is written, so that neither waits for the other at every packet. The
 * iterator is asked on a virtual thread of its own, which may block; {@link #poll} and {@link #stop} come from the IO
 * worker.
 */
final class PacketFeed {
    private static final int MOST_PACKETS = 256;
    private static final long MOST_BYTES = 1 << 20;

    private final Iterator<Packet> source;
    private final Runnable there;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    /** These are guarded by the lock. */
    private final Deque<Packet> ahead = new ArrayDeque<>();

    private long bytes;
    private boolean ended;
    private Throwable failure;
    private boolean stopped;
    /** Whether the IO worker found nothing and is to be told. */
    private boolean wanted;

    /** @param there told, on the feed's thread, when there is something after {@link #poll} found nothing */
    PacketFeed(final String peer, final Iterator<Packet> source, final Runnable there) {
        this.source = source;
        this.there = there;
        this.thread = NewerJava.thread("s2s-packets-for-" + peer, this::ask);
    }

    void start() {
        thread.start();
    }

    private void ask() {
        long asked = 0;
        try {
            while (!isStopped() && source.hasNext()) {
                final Packet packet = source.next();
                asked++;
                if (packet == null) {
                    throw new NullPointerException("packet " + asked + " is null");
                }
                if (!add(packet)) {
                    PacketContent.of(packet).discard();
                    return;
                }
            }
            end(null);
        } catch (final Throwable e) {
            end(e);
        }
    }

    private boolean isStopped() {
        lock.lock();
        try {
            return stopped;
        } finally {
            lock.unlock();
        }
    }

    /** @return false if nobody wants it */
    private boolean add(final Packet packet) throws InterruptedException {
        final boolean tell;
        lock.lock();
        try {
            while (!stopped && (ahead.size() >= MOST_PACKETS || bytes >= MOST_BYTES)) {
                room.await();
            }
            if (stopped) {
                return false;
            }
            ahead.add(packet);
            bytes += held(packet);
            tell = wanted;
            wanted = false;
        } finally {
            lock.unlock();
        }
        if (tell) {
            there.run();
        }
        return true;
    }

    private static long held(final Packet packet) {
        return packet.bytes() == null ? 0 : packet.size();
    }

    private void end(final Throwable cause) {
        final boolean tell;
        lock.lock();
        try {
            ended = true;
            failure = cause;
            tell = wanted && !stopped;
            wanted = false;
        } finally {
            lock.unlock();
        }
        if (tell) {
            there.run();
        }
    }

    /** @return the next packet; null if none is there, which {@link #isOver} explains */
    Packet poll() {
        lock.lock();
        try {
            final Packet packet = ahead.poll();
            if (packet == null) {
                wanted = !ended;
            } else {
                bytes -= held(packet);
                room.signal();
            }
            return packet;
        } finally {
            lock.unlock();
        }
    }

    /** @return whether no packet follows */
    boolean isOver() {
        lock.lock();
        try {
            return ended && ahead.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** @return why the iterator could not be asked on, or null */
    Throwable failure() {
        lock.lock();
        try {
            return failure;
        } finally {
            lock.unlock();
        }
    }

    /** Nobody wants the rest. */
    void stop() {
        final List<Packet> left;
        lock.lock();
        try {
            stopped = true;
            left = List.copyOf(ahead);
            ahead.clear();
            room.signalAll();
        } finally {
            lock.unlock();
        }
        thread.interrupt();
        if (!left.isEmpty()) {
            NewerJava.blockingTasks()
                    .execute(() ->
                            left.forEach(packet -> PacketContent.of(packet).discard()));
        }
    }
}
