// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Gathers packets to transactions: a transaction begins when enough packets or bytes are there, or one has waited long
 * enough, and no more run than allowed. Any thread; its lock is held for moments.
 *
 * <p>Every packet has a future of its own, which ends as its transaction does. A packet whose content fails is taken out,
 * and its neighbours are sent without it. {@link #close} sends what is there and waits for it.
 */
public final class BatchingSender implements AutoCloseable {
    /** What a packet takes beside its content and attributes. */
    private static final int PACKET_BYTES = 200;

    /** A packet that was given, and whoever waits for it. */
    private static final class Entry {
        private final Packet packet;
        private final long heldBytes;
        private final long givenNanos = System.nanoTime();
        private final CompletableFuture<TransactionResult> result = new CompletableFuture<>();
        /** Completed after the result, and never with a failure. */
        private final CompletableFuture<Void> over = new CompletableFuture<>();

        Entry(final Packet packet) {
            this.packet = packet;
            this.heldBytes = PACKET_BYTES + (packet.bytes() == null ? 0 : packet.size());
        }
    }

    private final InputPort port;
    private final SiteToSiteConnector connector;
    private final BatchingOptions options;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    /** These are guarded by the lock. */
    private final Deque<Entry> waiting = new ArrayDeque<>();

    private final List<CompletableFuture<Void>> roomAsked = new ArrayList<>();
    private final Set<Entry> pending = new LinkedHashSet<>();
    private long waitingBytes;
    private long pendingBytes;
    private int running;
    private int flushing;
    private boolean timed;
    private boolean starting;
    private boolean closed;

    BatchingSender(final InputPort port, final SiteToSiteConnector connector, final BatchingOptions options) {
        this.port = port;
        this.connector = connector;
        this.options = options;
    }

    /**
     * Gives a packet; blocks while too much is pending.
     *
     * @return completed when NiFi has taken the packet over; its result is that of the whole transaction
     * @throws InterruptedIOException if the thread was interrupted while it waited; the packet was not taken
     */
    public CompletableFuture<TransactionResult> send(final Packet packet) throws InterruptedIOException {
        final Entry entry = new Entry(packet);
        lock.lock();
        try {
            while (isFull() && !closed) {
                room.await();
            }
            if (closed) {
                return refused(FailureReason.CONNECTOR_CLOSED, "The batching sender is closed");
            }
            take(entry);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            final InterruptedIOException interrupted =
                    new InterruptedIOException("Interrupted while waiting for room; the packet was not taken");
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            lock.unlock();
        }
        startWhatIsReady();
        return entry.result;
    }

    /**
     * Gives a packet and never blocks: while too much is pending it fails with {@link FailureReason#TOO_MANY_WAITING}.
     *
     * @return as for {@link #send}
     * @see #whenRoom
     */
    public CompletableFuture<TransactionResult> sendAsync(final Packet packet) {
        final Entry entry = new Entry(packet);
        lock.lock();
        try {
            if (closed) {
                return refused(FailureReason.CONNECTOR_CLOSED, "The batching sender is closed");
            }
            if (isFull()) {
                return refused(
                        FailureReason.TOO_MANY_WAITING,
                        pending.size() + " packets with " + pendingBytes + " bytes are pending; wait for whenRoom()");
            }
            take(entry);
        } finally {
            lock.unlock();
        }
        startWhatIsReady();
        return entry.result;
    }

    /** @return completed when a packet can be given; at once if it can be now */
    public CompletableFuture<Void> whenRoom() {
        lock.lock();
        try {
            if (!isFull() || closed) {
                return CompletableFuture.completedFuture(null);
            }
            final CompletableFuture<Void> asked = new CompletableFuture<>();
            roomAsked.add(asked);
            return asked;
        } finally {
            lock.unlock();
        }
    }

    /** @return packets that were given and are not over yet */
    public int pendingPackets() {
        lock.lock();
        try {
            return pending.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends what is there without waiting for more.
     *
     * @return completed, never with a failure, when everything given before is over, well or not
     */
    public CompletableFuture<Void> flush() {
        final CompletableFuture<?>[] given;
        lock.lock();
        try {
            flushing = waiting.size();
            given = pending.stream().map(entry -> entry.over).toArray(CompletableFuture[]::new);
        } finally {
            lock.unlock();
        }
        startWhatIsReady();
        return CompletableFuture.allOf(given);
    }

    /** Takes no more packets, sends what is there, and waits until all is over; an interrupt ends the waiting only. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            room.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            flush().get();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final ExecutionException e) {
            throw new IllegalStateException("A flush does not fail", e);
        }
    }

    private CompletableFuture<TransactionResult> refused(final FailureReason reason, final String message) {
        return CompletableFuture.failedFuture(
                new TransactionException(port.name(), "", TransactionStep.FIND_PEER, reason, message, null));
    }

    private boolean isFull() {
        return pending.size() >= options.mostPackets() || pendingBytes >= options.mostBytes();
    }

    private void take(final Entry entry) {
        waiting.add(entry);
        waitingBytes += entry.packet.size();
        pending.add(entry);
        pendingBytes += entry.heldBytes;
    }

    private void startWhatIsReady() {
        lock.lock();
        try {
            if (starting) {
                // Whoever does it already, perhaps further up on this very thread, looks again.
                return;
            }
            starting = true;
        } finally {
            lock.unlock();
        }
        for (List<Entry> batch = pollReady(); batch != null; batch = pollReady()) {
            start(batch);
        }
    }

    /** @return the next transaction's packets, or null if it is not time for one */
    private List<Entry> pollReady() {
        lock.lock();
        try {
            starting = isReady();
            if (!starting) {
                return null;
            }
            running++;
            return poll();
        } finally {
            lock.unlock();
        }
    }

    private boolean isReady() {
        if (waiting.isEmpty() || running >= options.transactions()) {
            return false;
        }
        final long lingerLeft = lingerLeftNanos();
        final boolean enough = waiting.size() >= options.packets() || waitingBytes >= options.bytes();
        if (enough || flushing > 0 || lingerLeft <= 0) {
            return true;
        }
        return !lookLater(lingerLeft);
    }

    private long lingerLeftNanos() {
        return options.linger().toNanos() - (System.nanoTime() - waiting.peek().givenNanos);
    }

    private List<Entry> poll() {
        final List<Entry> batch = new ArrayList<>(Math.min(waiting.size(), options.packets()));
        long bytes = 0;
        while (!waiting.isEmpty() && batch.size() < options.packets() && bytes < options.bytes()) {
            final Entry entry = waiting.poll();
            bytes += entry.packet.size();
            batch.add(entry);
            flushing = Math.max(0, flushing - 1);
        }
        waitingBytes -= bytes;
        return batch;
    }

    /** @return false if nobody can look: the client is closed, and what is started now fails and says so */
    private boolean lookLater(final long nanos) {
        if (!timed) {
            try {
                connector.timer().schedule(this::lingered, nanos, TimeUnit.NANOSECONDS);
                timed = true;
            } catch (final RejectedExecutionException e) {
                return false;
            }
        }
        return true;
    }

    private void lingered() {
        lock.lock();
        try {
            timed = false;
        } finally {
            lock.unlock();
        }
        startWhatIsReady();
    }

    private void start(final List<Entry> batch) {
        port.sendAndKeep(batch.stream().map(entry -> entry.packet).toList()).whenComplete((done, failure) -> {
            final Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            final int bad = batch.size() > 1 && cause instanceof final TransactionException known
                    ? known.failedPacket()
                    : TransactionException.NO_PACKET;
            if (bad == TransactionException.NO_PACKET || bad >= batch.size()) {
                ended(batch, done, cause, List.of());
            } else {
                final List<Entry> failed = new ArrayList<>();
                final List<Entry> again = new ArrayList<>();
                for (int i = 0; i < batch.size(); i++) {
                    (i != bad && batch.get(i).packet.isRepeatable() ? again : failed).add(batch.get(i));
                }
                ended(failed, null, cause, again);
            }
        });
    }

    /**
     * A transaction is over.
     *
     * @param over packets that are over with it
     * @param again packets that go first into the next one
     */
    private void ended(
            final List<Entry> over, final TransactionResult done, final Throwable failure, final List<Entry> again) {
        final List<CompletableFuture<Void>> told = new ArrayList<>();
        lock.lock();
        try {
            running--;
            for (int i = again.size() - 1; i >= 0; i--) {
                waiting.addFirst(again.get(i));
                waitingBytes += again.get(i).packet.size();
            }
            flushing += again.size();
            for (final Entry entry : over) {
                pending.remove(entry);
                pendingBytes -= entry.heldBytes;
            }
            if (!isFull()) {
                told.addAll(roomAsked);
                roomAsked.clear();
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
        startWhatIsReady();
        for (final Entry entry : over) {
            if (failure == null) {
                entry.result.complete(done);
            } else {
                discard(entry.packet);
                entry.result.completeExceptionally(failure);
            }
            entry.over.complete(null);
        }
        told.forEach(asked -> asked.complete(null));
    }

    private void discard(final Packet packet) {
        if (packet.isRepeatable()) {
            connector.virtualThreads().execute(packet::discard);
        }
    }
}
