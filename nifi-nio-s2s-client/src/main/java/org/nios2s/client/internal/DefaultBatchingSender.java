// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.ClientStatistics;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Packet;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.internal.call.CallRequest;
import org.nios2s.client.internal.call.Completion;
import org.nios2s.client.internal.call.PendingLimit;
import org.nios2s.client.internal.call.RunningCall;
import org.nios2s.client.internal.connection.Attempt;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.connection.Failures;
import org.nios2s.client.internal.connection.NewerJava;
import org.nios2s.client.internal.transaction.Engine;
import org.nios2s.client.internal.transaction.PacketContent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gathers packets to transactions: a transaction begins when enough packets or bytes are there, or one has waited long
 * enough, and no more run than allowed. Any thread; its lock is held for moments, and no code of the caller's runs before
 * the books are right and the next transaction has begun.
 *
 * <p>Every packet has a future of its own, which ends as its transaction does ({@link HandOver}). A packet whose
 * content fails is taken out, and its neighbours are sent without it. {@link #close} sends what is there and waits for it; what is
 * still there when the client is closed fails.
 */
final class DefaultBatchingSender implements BatchingSender {
    private static final Logger logger = LoggerFactory.getLogger(DefaultBatchingSender.class);

    /** How long a close waits for an executor of the caller's that takes what is decided. */
    private static final Duration HAND_OVER = Duration.ofSeconds(1);

    private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);

    /** A transaction's packets. */
    private final class Batch {
        private final List<BatchEntry> entries;
        /** Those of the last attempt: without any that can't be read. */
        private volatile List<BatchEntry> attempted;

        /** What all are joined to, made once: it has the same identifier at every attempt. Null if each is sent as it is. */
        private final Packet joined;

        private final AtomicInteger refused = new AtomicInteger();
        /** Attempts that failed and count; written before its outcome is judged. */
        private int failedAttempts;

        Batch(final List<BatchEntry> entries) {
            this.entries = entries;
            this.attempted = entries;
            this.joined = joiner == null ? null : joiner.join(packets(entries));
        }

        private List<Packet> attempt() {
            if (joined != null) {
                return List.of(joined);
            }
            attempted =
                    entries.stream().filter(entry -> entry.unreadable == null).toList();
            return packets(attempted);
        }

        private static List<Packet> packets(final List<BatchEntry> entries) {
            return entries.stream().map(entry -> entry.packet).toList();
        }

        /** A peer that twice took nothing of many may do so for one of them: they go in two halves. */
        private boolean mayRepeat(final TransactionException failure) {
            final boolean twice =
                    PacketFaults.isOfPackets(failure) && refused.incrementAndGet() >= REFUSALS_BEFORE_HALVING;
            final boolean ends = twice && (entries.size() > 1 || isLeftToItself());
            return !ends
                    && attempted.stream()
                            .allMatch(entry -> PacketContent.of(entry.packet).isRepeatable());
        }

        /** @return attempts of the packet that has had most of them */
        private int attemptsBefore() {
            return entries.stream().mapToInt(entry -> entry.attempts).max().orElse(0);
        }

        /** Another one has had all attempts, or the oldest one ended the time of all: this one has more of either. */
        private boolean mayGoOnAlone(final BatchEntry entry) {
            return attemptsBefore() >= port.maxAttempts() || hasTimeLeft(entry);
        }

        /** The oldest one ended the time of all: these are younger by more than a moment. */
        private boolean hasTimeLeft(final BatchEntry entry) {
            return entry.givenNanos - entries.get(0).givenNanos > longestNanos / MOMENTS;
        }

        /** The one that is left of many has half of its time: the other half is for those that wait behind it. */
        private boolean isLeftToItself() {
            final BatchEntry only = entries.get(0);
            return only.suspected && only.ageNanos(System.nanoTime()) > longestNanos / 2;
        }

        private boolean isHalvedAfter(final TransactionException failure) {
            final boolean apart =
                    entries.size() > 1 && !failure.isOutcomeUnknown() && PacketFaults.isOfPackets(failure);
            return apart && (port.allowsAnother(failedAttempts, failure) || PacketFaults.isRefusedBefore(failure));
        }

        /** @return the one packet whose fault it is, where it has neighbours */
        private BatchEntry failed(final Throwable cause) {
            return joined == null && entries.size() > 1 ? PacketFaults.failed(attempted, cause) : null;
        }

        private boolean leaveOut(final Packet packet, final TransactionException failure) {
            for (final BatchEntry entry : attempted) {
                if (entry.packet == packet) {
                    entry.unreadable = failure;
                }
            }
            return true;
        }
    }

    private static final int REFUSALS_BEFORE_HALVING = 2;

    /** Packets whose ages differ by less than this part of their time share their transaction's fate. */
    private static final int MOMENTS = 20;

    private final BatchTarget port;
    private final Engine engine;
    private final Executor completion;
    private final BatchingOptions options;
    /** Makes one packet of those of a transaction; null if each is sent as it is. */
    private final RecordJoiner joiner;
    /** What this is, and what it is given, for errors. */
    private final String kind;

    private final String item;

    private final long lingerNanos;
    /** How long a packet may wait, its transaction included. */
    private final long longestNanos;

    private final FailureLog failures;
    private final PendingLimit pending;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    /** These are guarded by the lock. */
    private final Deque<BatchEntry> waiting = new ArrayDeque<>();

    private final List<CompletableFuture<Void>> roomAsked = new ArrayList<>();
    /** The packets of each transaction under way, and what runs it, once that has begun. */
    private final Map<List<BatchEntry>, Optional<RunningCall>> running = new IdentityHashMap<>();

    private long waitingBytes;
    private int flushing;
    /** Looks next whether it is time for something; null if nothing is scheduled. */
    private Future<?> nextCheck;

    private long nextCheckNanos;
    /** Why packets have failed last. */
    private Throwable lastFailure;

    private boolean starting;
    private boolean closed;
    /** What is there fails with, after a close did not wait longer: nothing is sent again. Null before. */
    private TransactionException ending;

    /**
     * @param completion where futures are completed, and nothing else happens
     * @param joiner makes one packet of those of a transaction, which are records then; null sends each as it is
     */
    DefaultBatchingSender(
            final BatchTarget port,
            final Engine engine,
            final Executor completion,
            final BatchingOptions options,
            final RecordJoiner joiner) {
        this.port = port;
        this.engine = engine;
        this.completion = completion;
        this.options = Objects.requireNonNull(options, "options");
        this.joiner = joiner;
        this.kind = joiner == null ? "batching sender" : "record sender";
        this.item = joiner == null ? "packet" : "record";
        this.lingerNanos = TimeUnit.NANOSECONDS.convert(options.linger());
        this.longestNanos = port.longestNanos();
        this.pending = new PendingLimit(options::maxPendingPackets, options.maxPendingBytes());
        this.failures = new FailureLog(port.name(), item, System::nanoTime, (task, nanos) -> engine.timer()
                .schedule(task, nanos, TimeUnit.NANOSECONDS));
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Packet packet) throws InterruptedIOException {
        return send(packet, FOR_EVER);
    }

    @Override
    public CompletableFuture<TransactionResult> send(final Packet packet, final Duration max)
            throws InterruptedIOException {
        return give(packet, TimeUnit.NANOSECONDS.convert(max));
    }

    @Override
    public CompletableFuture<TransactionResult> sendAsync(final Packet packet) {
        try {
            return give(packet, 0);
        } catch (final InterruptedIOException e) {
            throw new IllegalStateException("Interrupted without having waited", e);
        }
    }

    private CompletableFuture<TransactionResult> give(final Packet packet, final long longest)
            throws InterruptedIOException {
        if (packet == null) {
            return refused(FailureReason.CONTENT_FAILED, "The packet is null");
        }
        final BatchEntry entry = BatchEntry.of(packet, joiner);
        final boolean ready;
        lock.lock();
        try {
            final TransactionException refusal = awaitRoom(longest);
            if (refusal != null) {
                return CompletableFuture.failedFuture(refusal);
            }
            ready = take(entry);
        } catch (final InterruptedException e) {
            throw Failures.interrupted("waiting for room; the " + item + " was not taken", e);
        } finally {
            lock.unlock();
        }
        if (ready) {
            startWhatIsReady();
        }
        return entry.result;
    }

    /** @return why a packet can't be taken, or null as soon as there is room */
    private TransactionException awaitRoom(final long longest) throws InterruptedException {
        long left = longest;
        while (!closed) {
            if (!pending.isFull()) {
                return null;
            }
            if (left <= 0) {
                return failure(
                        FailureReason.TOO_MANY_PENDING,
                        pending.count() + " " + item + "s that take " + pending.bytes()
                                + " bytes are pending; wait for whenWritable()",
                        null);
            }
            left = room.awaitNanos(left);
        }
        return failure(FailureReason.CLIENT_CLOSED, "The " + kind + " is closed", null);
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        lock.lock();
        try {
            if (!pending.isFull() || closed) {
                return CompletableFuture.completedFuture(null);
            }
            final CompletableFuture<Void> asked = new CompletableFuture<>();
            roomAsked.add(asked);
            return asked;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int pendingPackets() {
        return pending.count();
    }

    ClientStatistics statistics() {
        return new ClientStatistics(0, 0, 0, 0, pending.count(), pending.bytes());
    }

    @Override
    public CompletableFuture<Void> flush() {
        final List<BatchEntry> given = flushGiven();
        final CompletableFuture<Void> flushed = new CompletableFuture<>();
        // What depends on it may block, and must not do so where the books are kept.
        CompletableFuture.allOf(BatchEntry.over(given), BatchEntry.handedOver(given))
                .whenComplete((nothing, failure) -> Completion.run(() -> flushed.complete(null), completion));
        return flushed;
    }

    /** The client is closed, and refuses what is started now: so what waits here ends. */
    void clientClosed() {
        refuseFurther();
        BatchEntry.handedOver(flushGiven()).whenComplete((nothing, failure) -> failures.logRest());
    }

    private void refuseFurther() {
        lock.lock();
        try {
            closed = true;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private List<BatchEntry> flushGiven() {
        final List<BatchEntry> given = new ArrayList<>();
        lock.lock();
        try {
            flushing = waiting.size();
            running.keySet().forEach(given::addAll);
            given.addAll(waiting);
        } finally {
            lock.unlock();
        }
        startWhatIsReady();
        return given;
    }

    @Override
    public void close() {
        close(port.closeTimeout());
    }

    @Override
    public boolean close(final Duration max) {
        final boolean inTime = closed(max);
        failures.logRest();
        return inTime;
    }

    private boolean closed(final Duration max) {
        refuseFurther();
        final List<BatchEntry> given = flushGiven();
        try {
            BatchEntry.over(given).get(TimeUnit.NANOSECONDS.convert(max), TimeUnit.NANOSECONDS);
            BatchEntry.handedOver(given).get(HAND_OVER.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (final TimeoutException e) {
            return endRest(given, max);
        } catch (final ExecutionException e) {
            // The packet's own future says so.
            logger.debug("A packet given to {} before the close failed", port.name(), e);
            return true;
        }
    }

    /** @return whether all is over, and only not taken by the completion executor */
    private boolean endRest(final List<BatchEntry> given, final Duration max) {
        if (given.stream().allMatch(entry -> entry.over.isDone())) {
            logger.debug("The completion executor does not take what became of the last packets of {}", port.name());
            return true;
        }
        final TransactionException failure = failure(
                FailureReason.CLIENT_CLOSED, "The " + kind + " was closed, and " + max + " were not enough", null);
        final List<BatchEntry> unsent;
        final List<RunningCall> calls;
        final int underWay;
        lock.lock();
        try {
            ending = failure;
            unsent = new ArrayList<>(waiting);
            waiting.clear();
            waitingBytes = 0;
            underWay = running.keySet().stream().mapToInt(List::size).sum();
            calls = running.values().stream().flatMap(Optional::stream).toList();
        } finally {
            lock.unlock();
        }
        logger.warn(
                "Closing the {} of {}: after {} {} {}s were not sent, and {} in progress are ended now",
                kind,
                port.name(),
                max,
                unsent.size(),
                item,
                underWay);
        calls.forEach(call -> call.stop(failure.reason(), failure.detail()));
        ended(List.of(), unsent, entry -> fail(entry, failure), List.of());
        return false;
    }

    CompletableFuture<TransactionResult> refused(final FailureReason reason, final String message) {
        return CompletableFuture.failedFuture(failure(reason, message, null));
    }

    private TransactionException failure(final FailureReason reason, final String message, final Throwable cause) {
        return port.failure(reason, message, cause);
    }

    /** @return whether a transaction may begin that nobody else begins */
    private boolean take(final BatchEntry entry) {
        final long now = System.nanoTime();
        entry.givenNanos = now;
        waiting.add(entry);
        waitingBytes += entry.size;
        pending.add(entry.heldBytes);
        return !starting && isReady(now);
    }

    private void startWhatIsReady() {
        lock.lock();
        try {
            if (starting) {
                // Another caller, perhaps further up on this very thread, is doing it and looks again.
                return;
            }
            starting = true;
        } finally {
            lock.unlock();
        }
        for (List<BatchEntry> batch = pollReady(); batch != null; batch = pollReady()) {
            begin(batch);
        }
    }

    private void begin(final List<BatchEntry> batch) {
        if (leftNanos(batch.get(0), System.nanoTime()) <= 0) {
            endLate(batch);
        } else if (joiner != null && engine.isOnWorker()) {
            // To join many records takes too long there.
            NewerJava.blockingTasks().execute(() -> start(batch));
        } else {
            start(batch);
        }
    }

    /** @return the next transaction's packets, or packets that have waited too long, or null if it is not time for either */
    private List<BatchEntry> pollReady() {
        lock.lock();
        try {
            // First: if anything is thrown here, others shall be able to begin.
            starting = false;
            final long now = System.nanoTime();
            if (!isReady(now)) {
                return null;
            }
            starting = true;
            final List<BatchEntry> batch = poll(now);
            running.put(batch, Optional.empty());
            return batch;
        } finally {
            lock.unlock();
        }
    }

    private long leftNanos(final BatchEntry entry, final long now) {
        return longestNanos - entry.ageNanos(now);
    }

    /** @return whether packets are to be taken now; if it is not time for it yet, it is looked at again then */
    private boolean isReady(final long now) {
        if (waiting.isEmpty()) {
            return false;
        }
        final BatchEntry first = waiting.peek();
        final long timeLeft = leftNanos(first, now);
        if (timeLeft <= 0) {
            return true;
        }
        if (running.size() >= options.maxInFlight()) {
            scheduleCheck(now, timeLeft);
            return false;
        }
        final long lingerLeft = lingerNanos - first.ageNanos(now);
        // If no more are taken, those that wait get no company.
        final boolean enough =
                waiting.size() >= options.maxPackets() || waitingBytes >= options.maxBytes() || pending.isFull();
        if (enough || flushing > 0 || lingerLeft <= 0) {
            return true;
        }
        return !scheduleCheck(now, Math.min(lingerLeft, timeLeft));
    }

    private List<BatchEntry> poll(final long now) {
        final long leftOfFirst = leftNanos(waiting.peek(), now);
        final List<BatchEntry> batch = new ArrayList<>(Math.min(waiting.size(), options.maxPackets()));
        long bytes = 0;
        while (!waiting.isEmpty()
                && batch.size() < options.maxPackets()
                && hasRoom(bytes, waiting.peek())
                && fits(leftNanos(waiting.peek(), now), leftOfFirst)) {
            final BatchEntry entry = waiting.poll();
            bytes += entry.size;
            batch.add(entry);
            flushing = Math.max(0, flushing - 1);
            if (entry.last) {
                entry.last = false;
                break;
            }
        }
        waitingBytes -= bytes;
        return batch;
    }

    /** Joined packets have no more bytes than they may; others begin before their limit. */
    private boolean hasRoom(final long bytes, final BatchEntry next) {
        return joiner == null ? bytes < options.maxBytes() : bytes + next.size <= options.maxBytes();
    }

    /** The transaction's time is that of its first: those that may wait far longer are not cut short by it. */
    private static boolean fits(final long left, final long leftOfFirst) {
        return leftOfFirst <= 0 ? left <= 0 : left / 2 <= leftOfFirst;
    }

    /** @return false if nobody can look: the client is closed, and what is started now fails and says so */
    private boolean scheduleCheck(final long now, final long nanos) {
        final long at = now + nanos;
        if (nextCheck != null && nextCheckNanos - at <= 0) {
            return true;
        }
        try {
            if (nextCheck != null) {
                nextCheck.cancel(false);
            }
            nextCheck = engine.timer().schedule(this::checkAgain, nanos, TimeUnit.NANOSECONDS);
            nextCheckNanos = at;
            return true;
        } catch (final RejectedExecutionException e) {
            nextCheck = null;
            return false;
        }
    }

    private void checkAgain() {
        lock.lock();
        try {
            nextCheck = null;
        } finally {
            lock.unlock();
        }
        startWhatIsReady();
    }

    private void start(final List<BatchEntry> entries) {
        try {
            final Batch batch = new Batch(entries);
            final CallRequest request = port.sending(batch::mayRepeat, (peer, left) -> attempt(batch, peer, left))
                    .attemptedBefore(batch.attemptsBefore());
            final RunningCall call = port.run(request.completedOn(Runnable::run).since(entries.get(0).givenNanos));
            begun(entries, call);
            call.result().whenComplete((done, failure) -> decided(batch, call, done, failure));
        } catch (final RuntimeException | Error e) {
            final TransactionException failure = failure(FailureReason.INTERNAL_ERROR, String.valueOf(e), e);
            ended(entries, entries, entry -> fail(entry, failure), List.of());
        }
    }

    private Attempt attempt(final Batch batch, final Endpoint peer, final CallOptions left) {
        return engine.pushing(peer, batch.attempt(), batch::leaveOut, left);
    }

    private void begun(final List<BatchEntry> batch, final RunningCall call) {
        final TransactionException failure;
        lock.lock();
        try {
            running.computeIfPresent(batch, (key, none) -> Optional.of(call));
            failure = ending;
        } finally {
            lock.unlock();
        }
        if (failure != null) {
            // The close that ended the others did not see this one.
            call.stop(failure.reason(), failure.detail());
        }
    }

    /** They waited for as long as they may: for the end of transactions that did not succeed, or took long. */
    private void endLate(final List<BatchEntry> late) {
        final Throwable last;
        lock.lock();
        try {
            last = lastFailure;
        } finally {
            lock.unlock();
        }
        final String before = last == null ? "" : "; a transaction before it failed: " + last.getMessage();
        final TransactionException failure = failure(
                FailureReason.DEADLINE_EXCEEDED,
                "Waited for " + Duration.ofNanos(longestNanos) + " for a transaction" + before,
                last);
        ended(late, late, entry -> fail(entry, failure), List.of());
    }

    private void decided(
            final Batch batch, final RunningCall call, final TransactionResult done, final Throwable thrown) {
        if (thrown == null) {
            ended(batch.entries, batch.entries, entry -> succeed(entry, done), List.of());
            return;
        }
        final Throwable cause = Failures.causeOf(thrown);
        final BatchEntry bad = batch.failed(cause);
        // The last one is the fault of one packet, and no attempt of its neighbours.
        batch.failedAttempts = Math.max(0, call.failedAttempts() - (bad == null ? 0 : 1));
        remember(batch, cause);
        final boolean halved =
                bad == null && cause instanceof final TransactionException known && batch.isHalvedAfter(known);
        final boolean mayGoOn = bad == null && mayGoOn(batch, cause);
        final List<BatchEntry> failed = new ArrayList<>();
        final List<BatchEntry> again = new ArrayList<>();
        for (final BatchEntry entry : batch.entries) {
            final boolean cutShort = mayGoOn && batch.mayGoOnAlone(entry);
            final boolean innocent = halved || cutShort || bad != null && entry != bad;
            final boolean once = innocent
                    && entry.unreadable == null
                    && PacketContent.of(entry.packet).isRepeatable()
                    && entry.attempts < port.maxAttempts();
            (once ? again : failed).add(entry);
        }
        if (halved && !again.isEmpty()) {
            halve(again);
        }
        ended(batch.entries, failed, entry -> fail(entry, cause), again);
    }

    /** @return whether packets that had to end with an older one may be sent again: the peer took nothing, and it may pass */
    private boolean mayGoOn(final Batch batch, final Throwable cause) {
        return cause instanceof final TransactionException known
                && !known.isOutcomeUnknown()
                && known.reason().isTransient()
                && port.allowsAnother(batch.failedAttempts, known);
    }

    private void halve(final List<BatchEntry> entries) {
        lock.lock();
        try {
            entries.get((entries.size() - 1) / 2).last = true;
            entries.get(entries.size() - 1).last = true;
            entries.forEach(entry -> entry.suspected = true);
        } finally {
            lock.unlock();
        }
    }

    private void succeed(final BatchEntry entry, final TransactionResult done) {
        if (entry.unreadable == null) {
            entry.result.complete(done);
        } else {
            fail(entry, entry.unreadable);
        }
    }

    private void remember(final Batch batch, final Throwable cause) {
        lock.lock();
        try {
            lastFailure = cause;
            batch.attempted.forEach(entry -> entry.attempts += batch.failedAttempts);
        } finally {
            lock.unlock();
        }
    }

    /** The packet is of no use any more; what it fails with is its own fault, or that of all. */
    private void fail(final BatchEntry entry, final Throwable ofAll) {
        final Throwable cause = entry.unreadable == null ? ofAll : entry.unreadable;
        discard(entry.packet);
        final BiConsumer<Packet, TransactionException> listener = options.failureListener();
        if (listener == null) {
            // First: when all futures are complete, the rest is logged.
            failures.failed(1, cause);
            entry.result.completeExceptionally(cause);
            return;
        }
        entry.result.completeExceptionally(cause);
        try {
            listener.accept(
                    entry.packet,
                    cause instanceof final TransactionException known
                            ? known
                            : failure(FailureReason.INTERNAL_ERROR, String.valueOf(cause), cause));
        } catch (final RuntimeException | Error e) {
            logger.warn("The failure listener of the {} of {} failed", kind, port.name(), e);
        }
    }

    /**
     * A transaction is over.
     *
     * @param batch its packets
     * @param over those that are over with it
     * @param telling ends the future of one of them
     * @param again packets that go first into the next one; after a close that did not wait longer they end, too
     */
    private void ended(
            final List<BatchEntry> batch,
            final List<BatchEntry> over,
            final Consumer<BatchEntry> telling,
            final List<BatchEntry> again) {
        final List<CompletableFuture<Void>> told = new ArrayList<>();
        final TransactionException notAgain;
        lock.lock();
        try {
            running.remove(batch);
            notAgain = ending;
            if (notAgain == null) {
                putBack(again);
                flushing += again.size();
            } else {
                pending.remove(again.size(), BatchEntry.heldBytes(again));
            }
            pending.remove(over.size(), BatchEntry.heldBytes(over));
            if (!pending.isFull()) {
                told.addAll(roomAsked);
                roomAsked.clear();
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
        startWhatIsReady();
        tell(over, telling);
        if (notAgain != null) {
            tell(again, entry -> fail(entry, notAgain));
        }
        told.forEach(asked -> Completion.run(() -> asked.complete(null), completion));
    }

    private void tell(final List<BatchEntry> over, final Consumer<BatchEntry> telling) {
        over.forEach(entry -> entry.over.complete(null));
        HandOver.of(over, telling, completion);
    }

    /** They go first, but for those that were given before them and were put back by another transaction. */
    private void putBack(final List<BatchEntry> again) {
        final Deque<BatchEntry> older = new ArrayDeque<>();
        while (!again.isEmpty() && !waiting.isEmpty() && waiting.peek().givenNanos - again.get(0).givenNanos < 0) {
            older.push(waiting.poll());
        }
        for (int i = again.size() - 1; i >= 0; i--) {
            waiting.addFirst(again.get(i));
            waitingBytes += again.get(i).size;
        }
        older.forEach(waiting::addFirst);
    }

    private void discard(final Packet packet) {
        final PacketContent content = PacketContent.of(packet);
        if (content.isRepeatable()) {
            NewerJava.blockingTasks().execute(content::discard);
        }
    }
}
