// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.limits.TestHolder;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.BufferedPush;
import org.nios2s.listener.transaction.BufferedPush.State;
import org.nios2s.listener.transaction.CommitDeadline;

/** The queue of a port: order, batches, deadlines, removal. Lives on the test's thread. */
class RequestQueueTest {

    private static final int CAPACITY = 2;

    private final Transactions transactions = new Transactions();
    private final RequestQueue queue = new RequestQueue(CAPACITY, NanoClock.SYSTEM);

    private BufferedPush add(final String... contents) throws Exception {
        final BufferedPush transaction = transactions.ready(null, contents);
        queue.add(transaction);
        return transaction;
    }

    @AfterEach
    void endAll() {
        transactions.endAll();
        assertEquals(0, transactions.held());
    }

    private List<BufferedPush> claim(final int maxTransactions, final long maxBytes) {
        final List<BufferedPush> batch = new ArrayList<>();
        queue.claimInto(batch, new ListenerSettings.Commits(maxTransactions, maxBytes));
        return batch;
    }

    @Test
    @DisplayName("transactions leave in the order in which they came")
    void order() throws Exception {
        final BufferedPush first = add("a");
        final BufferedPush second = add("b");
        final BufferedPush third = add("c");
        assertSame(first, queue.first());
        assertEquals(List.of(first), claim(1, Long.MAX_VALUE));
        assertEquals(List.of(second, third), claim(10, Long.MAX_VALUE));
        assertNull(queue.first());
    }

    @Test
    @DisplayName("a batch takes no more than its number of transactions")
    void batchByCount() throws Exception {
        add("a");
        add("b");
        add("c");
        assertEquals(2, claim(2, Long.MAX_VALUE).size());
        assertEquals(1, queue.size());
    }

    @Test
    @DisplayName("a batch stays within its bytes")
    void batchByBytes() throws Exception {
        final BufferedPush first = add("12345");
        final BufferedPush second = add("12345");
        add("12345");
        assertEquals(2, claim(10, first.bytes() + second.bytes()).size());
        assertEquals(1, queue.size());
    }

    @Test
    @DisplayName("a batch stays within its FlowFiles, those of one transaction counted together")
    void batchByFlowFiles() throws Exception {
        final int third = RequestQueue.COMMIT_FLOW_FILES / 3;
        for (int i = 0; i < 4; i++) {
            queue.add(transactions.ready(null, empty(third)));
        }
        assertEquals(3, claim(10, Long.MAX_VALUE).size());
        assertEquals(1, queue.size());
    }

    @Test
    @DisplayName("a transaction larger than a commit makes a batch of its own")
    void batchOfOne() throws Exception {
        final BufferedPush large = transactions.ready(null, empty(RequestQueue.COMMIT_FLOW_FILES + 1));
        queue.add(large);
        add("a");
        assertEquals(List.of(large), claim(10, 0));
        assertEquals(1, claim(10, 0).size());
    }

    private static String[] empty(final int packets) {
        final String[] contents = new String[packets];
        Arrays.fill(contents, "");
        return contents;
    }

    @Test
    @DisplayName("what is claimed is in service, and what its peer gave up is dropped")
    void claims() throws Exception {
        final BufferedPush abandoned = add("a");
        final BufferedPush waiting = add("b");
        assertTrue(abandoned.abandon());
        assertEquals(List.of(waiting), claim(10, Long.MAX_VALUE));
        assertEquals(State.IN_SERVICE, waiting.state());
        assertFalse(waiting.abandon());
    }

    @Test
    @DisplayName("a transaction that is removed leaves the others in order")
    void removal() throws Exception {
        final BufferedPush first = add("a");
        final BufferedPush second = add("b");
        final BufferedPush third = add("c");
        queue.remove(second);
        queue.remove(second);
        assertEquals(List.of(first, third), claim(10, Long.MAX_VALUE));
        assertEquals(0, queue.size());
    }

    @Test
    @DisplayName("what its peer has stopped waiting for is not claimed, and is not there any more")
    void pastItsDeadline() throws Exception {
        final BufferedPush late = transactions.received(null, "a");
        late.ready(outcome -> {}, CommitDeadline.of(1, System.nanoTime() - TimeUnit.SECONDS.toNanos(1)), 0);
        queue.add(late);
        final BufferedPush inTime = add("b");
        assertEquals(List.of(inTime), claim(10, Long.MAX_VALUE));
        assertEquals(State.READY, late.state());
        assertEquals(0, queue.size());
    }

    @Test
    @DisplayName(
            "no more pushes are in progress than request.queue.size; a further one waits for the place of one that ended")
    void capacity() {
        final AtomicInteger granted = new AtomicInteger();
        final Grant first = queue.acquirePlace(new TestHolder("peer"), granted::incrementAndGet);
        final Grant second = queue.acquirePlace(new TestHolder("peer"), granted::incrementAndGet);
        assertTrue(first.isImmediate() && second.isImmediate());
        final Grant third = queue.acquirePlace(new TestHolder("other peer"), granted::incrementAndGet);
        assertFalse(third.isImmediate());
        assertEquals(CAPACITY, queue.inProgress());
        first.close();
        assertEquals(1, granted.get());
        assertEquals(CAPACITY, queue.inProgress());
    }
}
