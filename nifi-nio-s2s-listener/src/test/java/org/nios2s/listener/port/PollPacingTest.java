// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockingDetails;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.PublicPort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often NiFi looks into ports. Lives on the test's thread. */
class PollPacingTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private static final int POLLING_THREADS = 2;
    private static final int MANY = 500;

    private final PollPacing pacing = new PollPacing(POLLING_THREADS);
    private final List<RecordingPort> ports = new ArrayList<>();

    private RecordingPort port(final int tasks) {
        final RecordingPort port = new RecordingPort(tasks);
        ports.add(port);
        return port;
    }

    private static long yieldMillis(final RecordingPort port) {
        return port.port().getYieldPeriod(TimeUnit.MILLISECONDS);
    }

    @AfterEach
    void close() {
        ports.forEach(RecordingPort::close);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 0", "3, 1", "4, 1", "8, 3", "20, 9", "100, 10"})
    @DisplayName("the more tasks a port with traffic has, the longer each rests, and never longer than NiFi has it")
    void restsByTasks(final int tasks, final long millis) {
        final RecordingPort port = port(tasks);
        pacing.of(port.port()).arrived(0);
        assertEquals(millis, yieldMillis(port));
    }

    @Test
    @DisplayName("without a thread to poll with, a port keeps its own yield period")
    void noThreads() {
        final RecordingPort port = port(1);
        new PollPacing(0).of(port.port()).arrived(0);
        assertEquals(10, yieldMillis(port));
    }

    @Test
    @DisplayName("ports with traffic share what their polls may hold of NiFi's pool")
    void share() {
        final List<RecordingPort> four = List.of(port(1), port(1), port(1), port(1));
        four.forEach(port -> pacing.of(port.port()).arrived(0));
        pacing.sweep(0);
        four.forEach(port -> assertEquals(1, yieldMillis(port)));
    }

    @Test
    @DisplayName("a port whose traffic is over gets its own yield period back, and the others look more often")
    void quiet() {
        final RecordingPort busy = port(2);
        final RecordingPort quiet = port(2);
        final PollPacing.Pace pace = pacing.of(busy.port());
        pacing.of(quiet.port()).arrived(0);
        pace.arrived(0);
        assertEquals(1, yieldMillis(busy));
        assertEquals(0, yieldMillis(quiet));
        pacing.sweep(0);
        assertEquals(1, yieldMillis(quiet));
        pace.arrived(SECOND);
        pacing.sweep(SECOND);
        assertEquals(10, yieldMillis(quiet));
        assertEquals(0, yieldMillis(busy));
        pacing.close();
        assertEquals(10, yieldMillis(busy));
        assertEquals("10 millis", busy.port().getYieldPeriod());
    }

    @Test
    @DisplayName(
            "with many ports the traffic of one sets the period of that one alone, and of none where it stays the same")
    void manyPorts() {
        final List<PublicPort> many = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            many.add(mock(PublicPort.class));
            when(many.get(i).getYieldPeriod()).thenReturn("10 millis");
            when(many.get(i).getYieldPeriod(TimeUnit.MILLISECONDS)).thenReturn(10L);
            when(many.get(i).getMaxConcurrentTasks()).thenReturn(1);
        }
        final List<PollPacing.Pace> paces = many.stream().map(pacing::of).toList();
        paces.forEach(pace -> pace.arrived(0));
        // Of 22 tasks each may rest for the 10 ms that it has anyway.
        assertEquals(20, settings(many));
        pacing.sweep(0);
        assertEquals(40, settings(many));
        pacing.sweep(0);
        paces.forEach(pace -> pace.arrived(SECOND));
        pacing.sweep(SECOND);
        assertEquals(40, settings(many));
    }

    private static long settings(final List<PublicPort> ports) {
        return ports.stream()
                .flatMap(port -> mockingDetails(port).getInvocations().stream())
                .filter(call -> call.getMethod().getName().equals("setYieldPeriod"))
                .count();
    }

    @Test
    @DisplayName("a port whose last peer left and whose next one came at once gets its own yield period back")
    void nextDispatcher() {
        final RecordingPort port = port(1);
        pacing.of(port.port()).arrived(0);
        pacing.of(port.port()).arrived(SECOND);
        pacing.sweep(SECOND);
        assertEquals(0, yieldMillis(port));
        pacing.sweep(2 * SECOND);
        assertEquals(10, yieldMillis(port));
    }

    @Test
    @DisplayName("it is known whether something arrived lately")
    void lately() {
        final PollPacing.Pace pace = pacing.of(port(1).port());
        assertFalse(pace.arrivedWithin(SECOND, 0));
        pace.arrived(0);
        assertTrue(pace.arrivedWithin(SECOND, SECOND - 1));
        assertFalse(pace.arrivedWithin(SECOND, SECOND));
    }
}
