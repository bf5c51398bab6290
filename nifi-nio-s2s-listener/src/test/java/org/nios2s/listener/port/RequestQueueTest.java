// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.transaction.InboundTransaction;
import org.nios2s.listener.transaction.InboundTransaction.State;

/** The queue of a port: order, bound, waking, removal. Lives on the test's thread. */
class RequestQueueTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final BooleanSupplier NOTHING_ELSE = () -> false;
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Transactions transactions = new Transactions();
    private final RequestQueue queue = new RequestQueue(2);

    private InboundTransaction add(final String... contents) throws Exception {
        final InboundTransaction transaction = transactions.ready(null, contents);
        queue.add(transaction);
        return transaction;
    }

    @AfterEach
    void endAll() {
        transactions.endAll();
        assertEquals(0, transactions.held());
    }

    @Test
    @DisplayName("transactions leave in the order in which they came")
    void order() throws Exception {
        final InboundTransaction first = add("a");
        final InboundTransaction second = add("b");
        final InboundTransaction third = add("c");
        assertSame(first, queue.poll());
        final List<InboundTransaction> batch = new ArrayList<>();
        queue.claimInto(batch, 10, Long.MAX_VALUE);
        assertEquals(List.of(second, third), batch);
        assertNull(queue.poll());
    }

    @Test
    @DisplayName("a batch takes no more than its number of transactions, those it begins with included")
    void batchByCount() throws Exception {
        final List<InboundTransaction> batch = new ArrayList<>(List.of(transactions.ready(null, "lead")));
        add("a");
        add("b");
        queue.claimInto(batch, 2, Long.MAX_VALUE);
        assertEquals(2, batch.size());
        assertEquals(1, queue.size());
    }

    @Test
    @DisplayName("a batch takes the transaction that goes beyond its bytes, and none behind it")
    void batchByBytes() throws Exception {
        add("12345");
        add("12345");
        add("12345");
        final List<InboundTransaction> batch = new ArrayList<>();
        queue.claimInto(batch, 10, 6);
        assertEquals(2, batch.size());
        queue.claimInto(batch, 10, 10);
        assertEquals(2, batch.size());
    }

    @Test
    @DisplayName("what is claimed is in service, and what its peer gave up is dropped")
    void claims() throws Exception {
        final InboundTransaction abandoned = add("a");
        final InboundTransaction waiting = add("b");
        assertTrue(abandoned.abandon());
        final List<InboundTransaction> batch = new ArrayList<>();
        queue.claimInto(batch, 10, Long.MAX_VALUE);
        assertEquals(List.of(waiting), batch);
        assertEquals(State.IN_SERVICE, waiting.state());
        assertFalse(waiting.abandon());
    }

    @Test
    @DisplayName("a transaction that is removed leaves the others in order")
    void removal() throws Exception {
        final InboundTransaction first = add("a");
        final InboundTransaction second = add("b");
        final InboundTransaction third = add("c");
        queue.remove(second);
        queue.remove(second);
        assertSame(first, queue.poll());
        assertSame(third, queue.poll());
        assertEquals(0, queue.size());
    }

    @Test
    @DisplayName("an empty queue is not waited for when there is no time")
    void awaitNothing() throws Exception {
        assertFalse(queue.await(0, NOTHING_ELSE));
        assertFalse(queue.await(1, NOTHING_ELSE));
        add("a");
        assertTrue(queue.await(0, NOTHING_ELSE));
    }

    private CompletableFuture<Boolean> waitingPortTask(final AtomicBoolean somethingElse) {
        final AtomicReference<Thread> waiter = new AtomicReference<>();
        final CompletableFuture<Boolean> woken = CompletableFuture.supplyAsync(() -> {
            waiter.set(Thread.currentThread());
            try {
                return queue.await(LONG_NANOS, somethingElse::get);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        });
        await().atMost(DEADLINE)
                .until(() -> waiter.get() != null && waiter.get().getState() == Thread.State.TIMED_WAITING);
        assertFalse(woken.isDone());
        return woken;
    }

    @Test
    @DisplayName("whoever waits is woken by the next transaction")
    void wakesPortTask() throws Exception {
        final CompletableFuture<Boolean> woken = waitingPortTask(new AtomicBoolean());
        add("a");
        assertTrue(woken.get(DEADLINE.toSeconds(), TimeUnit.SECONDS));
    }

    @Test
    @DisplayName("whoever waits is woken when there is something else to do")
    void wakesForSomethingElse() throws Exception {
        final AtomicBoolean somethingElse = new AtomicBoolean();
        final CompletableFuture<Boolean> woken = waitingPortTask(somethingElse);
        somethingElse.set(true);
        queue.wake();
        assertTrue(woken.get(DEADLINE.toSeconds(), TimeUnit.SECONDS));
    }

    @Test
    @DisplayName("there is room below the capacity, and who finds none is told once when there is")
    void room() throws Exception {
        final List<String> resumed = new ArrayList<>();
        add("a");
        assertTrue(queue.hasRoomOrAwait(() -> resumed.add("early")));
        add("b");
        assertFalse(queue.hasRoomOrAwait(() -> resumed.add("first")));
        assertFalse(queue.hasRoomOrAwait(() -> resumed.add("second")));
        assertEquals(List.of(), resumed);
        queue.poll();
        assertEquals(List.of("first", "second"), resumed);
        queue.poll();
        assertEquals(List.of("first", "second"), resumed);
    }

    @Test
    @DisplayName("a removed transaction makes room too")
    void roomByRemoval() throws Exception {
        final List<String> resumed = new ArrayList<>();
        add("a");
        final InboundTransaction second = add("b");
        assertFalse(queue.hasRoomOrAwait(() -> resumed.add("next")));
        queue.remove(second);
        assertEquals(List.of("next"), resumed);
    }

    @Test
    @DisplayName("whoever is woken may fill the queue again; those behind it wait on")
    void refilled() throws Exception {
        final List<String> resumed = new ArrayList<>();
        add("a");
        add("b");
        final InboundTransaction next = transactions.ready(null, "c");
        assertFalse(queue.hasRoomOrAwait(() -> {
            resumed.add("first");
            queue.add(next);
        }));
        assertFalse(queue.hasRoomOrAwait(() -> resumed.add("second")));
        queue.poll();
        assertEquals(List.of("first"), resumed);
        queue.poll();
        assertEquals(List.of("first", "second"), resumed);
    }
}
