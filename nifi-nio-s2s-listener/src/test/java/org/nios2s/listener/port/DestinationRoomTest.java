// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.limits.TestHolder;
import org.nios2s.listener.port.DestinationRoom.CommitClaim;
import org.nios2s.listener.port.DestinationRoom.Load;
import org.nios2s.listener.time.NanoClock;

/** What is promised of a destination's room. Lives on the test's thread. */
class DestinationRoomTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final Load ONE = new Load(1, 100);

    private final EventExecutor worker = new DefaultEventExecutor();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicBoolean served = new AtomicBoolean(true);
    private final List<Integer> called = new CopyOnWriteArrayList<>();

    private DestinationRoom room(final long threshold, final String sizeThreshold) {
        final var connection = Destinations.withThresholds(queued, threshold, sizeThreshold, 100);
        return new DestinationRoom(() -> List.of(connection), served::get, NanoClock.SYSTEM);
    }

    private Grant reserve(final DestinationRoom room, final Load load, final int number) {
        return room.reserve(new TestHolder("peer"), load, worker, () -> called.add(number));
    }

    @AfterEach
    void stop() {
        worker.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    @Test
    @DisplayName(
            "as many FlowFiles are promised as the queue takes, the last transaction over the threshold as in NiFi")
    void countsWhatIsPromised() {
        final DestinationRoom room = room(10, "0 B");
        queued.set(4);
        assertTrue(reserve(room, new Load(5, 0), 0).isImmediate());
        assertTrue(reserve(room, new Load(7, 0), 1).isImmediate());
        assertFalse(reserve(room, ONE, 2).isImmediate());
    }

    @Test
    @DisplayName("bytes count as FlowFiles do")
    void countsBytes() {
        final DestinationRoom room = room(0, "1 KB");
        queued.set(4);
        assertTrue(reserve(room, new Load(1, 623), 0).isImmediate());
        assertTrue(reserve(room, new Load(1, 1), 1).isImmediate());
        assertFalse(reserve(room, ONE, 2).isImmediate());
    }

    @Test
    @DisplayName("a destination without thresholds takes everything")
    void unlimited() {
        final DestinationRoom room = room(0, "0 B");
        queued.set(1_000_000);
        assertTrue(reserve(room, new Load(1_000_000, Long.MAX_VALUE / 2), 0).isImmediate());
        assertTrue(reserve(room, ONE, 1).isImmediate());
    }

    @Test
    @DisplayName("room that is given back is granted in the order of the reservations, and nobody overtakes")
    void inOrder() {
        final DestinationRoom room = room(1, "0 B");
        final Grant first = reserve(room, ONE, 0);
        final List<Grant> waiting = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            waiting.add(reserve(room, ONE, i));
        }
        assertEquals(3, room.waiting());
        first.close();
        assertEquals(List.of(1), called);
        waiting.get(1).close();
        waiting.get(0).close();
        assertEquals(List.of(1, 3), called);
        assertEquals(0, room.waiting());
    }

    @Test
    @DisplayName("a queue that is drained is noticed, though NiFi does not tell")
    void noticesDraining() {
        final DestinationRoom room = room(10, "0 B");
        queued.set(10);
        assertFalse(reserve(room, ONE, 1).isImmediate());
        queued.set(9);
        await().atMost(DEADLINE).until(() -> called.equals(List.of(1)));
    }

    @Test
    @DisplayName("nothing is promised while no port task comes for what was promised before")
    void portIsNotServed() {
        final DestinationRoom room = room(0, "0 B");
        served.set(false);
        assertFalse(reserve(room, ONE, 1).isImmediate());
        served.set(true);
        await().atMost(DEADLINE).until(() -> called.equals(List.of(1)));
    }

    @Test
    @DisplayName("port tasks that commit at the same time see each other's transactions before the queue shows them")
    void claimsOfOtherTasks() {
        final DestinationRoom room = room(3, "0 B");
        try (CommitClaim one = room.claim();
                CommitClaim other = room.claim()) {
            assertTrue(one.tryAdd(new Load(2, 0)));
            assertTrue(other.tryAdd(new Load(2, 0)));
            assertFalse(one.tryAdd(ONE));
            other.remove(new Load(2, 0));
            assertTrue(one.tryAdd(ONE));
            assertFalse(other.tryAdd(ONE));
        }
        assertTrue(room.claim().tryAdd(ONE));
    }

    @Test
    @DisplayName("of a group that filled the queue only those say so behind which it was full")
    void whoFilledIt() {
        final DestinationRoom room = room(10, "0 B");
        queued.set(10);
        assertEquals(2, room.firstThatFilled(List.of(ONE, ONE, ONE)));
        queued.set(11);
        assertEquals(1, room.firstThatFilled(List.of(ONE, ONE, ONE)));
        queued.set(9);
        assertEquals(3, room.firstThatFilled(List.of(ONE, ONE, ONE)));
        queued.set(100);
        assertEquals(0, room.firstThatFilled(List.of(ONE, ONE, ONE)));
    }
}
