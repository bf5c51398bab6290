// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.transaction.SessionEnds;

/** When a visit leaves. Lives on the test's thread, which is the port task. */
class PortVisitTest {
    /** More than a visit may work. */
    private static final Duration LONG = Duration.ofMillis(300);

    private final PublicPort port = mock(PublicPort.class);
    private final PortDispatcher dispatcher = mock(PortDispatcher.class);
    private final SessionEnds ends = mock(SessionEnds.class);
    private final PortVisit visit = new PortVisit(
            dispatcher,
            ListenerSettings.from(new NiFiProperties(Map.of())),
            mock(ProcessContext.class),
            mock(ProcessSession.class),
            mock(GroupCommit.class));

    @BeforeEach
    void idlePort() {
        when(port.getConnectableType()).thenReturn(ConnectableType.OUTPUT_PORT);
        when(port.isRunning()).thenReturn(true);
        when(dispatcher.port()).thenReturn(port);
        when(dispatcher.ends()).thenReturn(ends);
        when(dispatcher.queue()).thenReturn(new RequestQueue());
        when(dispatcher.sessionRequests()).thenReturn(new ArrayDeque<>());
    }

    private static boolean afterLong() {
        final long begun = System.nanoTime();
        await().pollInterval(10, TimeUnit.MILLISECONDS).until(() -> System.nanoTime() - begun > LONG.toNanos());
        return true;
    }

    @Test
    @DisplayName("waiting is no work: a visit stays however long it has waited, as long as more comes")
    void staysWhileMoreComes() throws Exception {
        when(dispatcher.awaitMore()).thenAnswer(invocation -> afterLong()).thenReturn(false);
        visit.serve();
        verify(dispatcher, times(2)).awaitMore();
    }

    @Test
    @DisplayName("a visit leaves after some seconds however little it works, so that a pool of one thread gets it back")
    void leavesAfterLong() {
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
            when(dispatcher.awaitMore()).thenAnswer(invocation -> afterLong());
            visit.serve();
        });
    }

    @Test
    @DisplayName("a visit that has worked for long leaves without looking for more")
    void leavesAfterMuchWork() throws Exception {
        when(dispatcher.ends()).thenAnswer(invocation -> {
            afterLong();
            return ends;
        });
        visit.serve();
        verify(dispatcher, times(0)).awaitMore();
    }

    @Test
    @DisplayName("a visit leaves when its port has stopped")
    void leavesAStoppedPort() throws Exception {
        when(port.isRunning()).thenReturn(false);
        visit.serve();
        verify(dispatcher, times(0)).awaitMore();
    }
}
