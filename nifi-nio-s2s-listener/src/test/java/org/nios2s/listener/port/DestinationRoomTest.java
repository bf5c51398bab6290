// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.connectable.Connection;
import org.apache.nifi.controller.queue.FlowFileQueue;
import org.apache.nifi.controller.queue.QueueSize;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.limits.TestHolder;
import org.nios2s.listener.port.DestinationRoom.Load;
import org.nios2s.listener.time.NanoClock;

/** What is promised of a destination's room. Lives on the test's thread. */
class DestinationRoomTest {
    private static final Duration DEADLINE = Duration.ofSeconds(20);
    private static final long BYTES_EACH = 100;
    private static final Load ONE = new Load(1, BYTES_EACH);

    private final EventExecutor worker = new DefaultEventExecutor();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicBoolean served = new AtomicBoolean(true);
    private final List<Integer> called = new CopyOnWriteArrayList<>();

    private DestinationRoom room(final long threshold, final String sizeThreshold) {
        final Connection connection = connection(threshold, sizeThreshold);
        return new DestinationRoom(() -> List.of(connection), served::get, NanoClock.SYSTEM);
    }

    /**
     * @param threshold back pressure in FlowFiles; 0 for none
     * @param sizeThreshold back pressure as the flow has it; "0 B" for none
     */
    private Connection connection(final long threshold, final String sizeThreshold) {
        final Connection connection = mock(Connection.class, withSettings().stubOnly());
        final FlowFileQueue queue = mock(FlowFileQueue.class, withSettings().stubOnly());
        when(connection.getFlowFileQueue()).thenReturn(queue);
        when(queue.getBackPressureObjectThreshold()).thenReturn(threshold);
        when(queue.getBackPressureDataSizeThreshold()).thenReturn(sizeThreshold);
        when(queue.size()).thenAnswer(invocation -> new QueueSize(queued.get(), queued.get() * BYTES_EACH));
        when(queue.isFull()).thenAnswer(invocation -> threshold > 0 && queued.get() >= threshold);
        return connection;
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
}
