// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.remote.PublicPort;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.BufferedPush;
import org.nios2s.listener.transaction.HeldSessions;

/** When a run of a port task ends. Lives on the test's thread, which is the port task. */
class PortTaskRunTest {
    /** Longer than a run may take. */
    private static final Duration LONG = Duration.ofMillis(60);

    private final AtomicLong nanos = new AtomicLong();
    private final NanoClock clock = nanos::get;
    private final PublicPort port = mock(PublicPort.class);
    private final PortDispatcher dispatcher = mock(PortDispatcher.class);
    private final HeldSessions heldSessions = mock(HeldSessions.class);
    private final ProcessContext context = mock(ProcessContext.class);
    private final GroupCommit groupCommit = mock(GroupCommit.class);
    private final RequestQueue queue = new RequestQueue(100, clock);
    private final Transactions transactions = new Transactions();
    private final PortTaskRun run = new PortTaskRun(
            dispatcher,
            new ListenerSettings.Commits(1, Long.MAX_VALUE),
            context,
            mock(ProcessSession.class),
            groupCommit,
            clock);

    @BeforeEach
    void runningPort() {
        when(port.getConnectableType()).thenReturn(ConnectableType.INPUT_PORT);
        when(context.getAvailableRelationships()).thenReturn(Set.of(Relationship.ANONYMOUS));
        when(dispatcher.port()).thenReturn(port);
        when(dispatcher.isPortRunning()).thenReturn(true);
        when(dispatcher.heldSessions()).thenReturn(heldSessions);
        when(dispatcher.queue()).thenReturn(queue);
        when(dispatcher.isReadyToCommit()).thenAnswer(invocation -> queue.first() != null);
        when(groupCommit.commit(anyList())).thenReturn(1);
    }

    @AfterEach
    void end() {
        transactions.endAll();
    }

    private void add(final int count) throws Exception {
        for (int i = 0; i < count; i++) {
            queue.add(transactions.ready(null, "a"));
        }
    }

    private int afterLong() {
        nanos.addAndGet(LONG.toNanos());
        return 1;
    }

    @Test
    @DisplayName("a run commits all that is ready, group by group, and does not wait for more")
    void commitsWhatIsReady() throws Exception {
        add(3);
        assertEquals(3, run.run());
        verify(groupCommit, times(3)).commit(anyList());
    }

    @Test
    @DisplayName("a run leaves after a while though more is ready: others wait in the same queue and the same pool")
    void leavesAfterAWhile() throws Exception {
        add(3);
        when(groupCommit.commit(anyList())).thenAnswer(invocation -> afterLong());
        assertEquals(1, run.run());
        assertEquals(2, queue.size());
    }

    @Test
    @DisplayName("a run commits nothing once its port is stopped, and hands no session out")
    void leavesAStoppedPort() throws Exception {
        add(3);
        when(groupCommit.commit(anyList())).thenAnswer(invocation -> {
            when(dispatcher.isPortRunning()).thenReturn(false);
            when(dispatcher.wantsSession()).thenReturn(true);
            return 1;
        });
        assertEquals(1, run.run());
        assertEquals(2, queue.size());
        verify(dispatcher, never()).nextSession();
    }

    @Test
    @DisplayName("a destination that a streamed push has just filled gets no group on top")
    void looksForRoomBeforeEachGroup() throws Exception {
        add(1);
        when(context.getAvailableRelationships()).thenReturn(Set.of());
        assertEquals(0, run.run());
        verify(groupCommit, never()).commit(any());
        final BufferedPush waiting = queue.first();
        assertTrue(waiting.abandon());
    }
}
