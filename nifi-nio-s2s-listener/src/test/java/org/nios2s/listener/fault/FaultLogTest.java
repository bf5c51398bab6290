// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.peers.LogLines;

/** What an operator reads of peers' faults. Lives on the test's thread. */
class FaultLogTest {
    @AutoClose
    private final LogLines log = new LogLines(FaultLogTest.class, Level.DEBUG);

    private long now = Long.MAX_VALUE - 1000;
    private final FaultLog faultLog = new FaultLog(log.logger(), () -> now);

    private List<String> warnings() {
        return log.lines(Level.WARN);
    }

    private void report(final Kind kind, final int times) {
        for (int i = 0; i < times; i++) {
            faultLog.report("Peer " + i, kind.fault("It is so"));
        }
    }

    @Test
    @DisplayName("the first fault of a kind is one WARN line that says who, what and why")
    void first() {
        report(Kind.WRONG_MAGIC, 1);
        assertEquals(List.of("Peer 0: It is so; the connection is closed (WRONG_MAGIC)"), warnings());
    }

    @Test
    @DisplayName(
            "further ones within a minute are DEBUG lines, and the next WARN line counts them, over the overflow of the clock")
    void counts() {
        report(Kind.PEER_CLOSED, 10);
        assertEquals(1, warnings().size());
        assertEquals(
                9,
                log.lines(Level.DEBUG).stream()
                        .filter(line -> line.contains("It is so"))
                        .count());
        now += Duration.ofSeconds(59).toNanos();
        report(Kind.PEER_CLOSED, 1);
        assertEquals(1, warnings().size());
        now += Duration.ofSeconds(2).toNanos();
        report(Kind.PEER_CLOSED, 2);
        assertEquals(2, warnings().size());
        assertTrue(
                warnings().get(1).endsWith("(PEER_CLOSED, and 10 more since the last such line)"),
                warnings().get(1));
        assertEquals(13, faultLog.count(Kind.PEER_CLOSED));
    }

    @Test
    @DisplayName("every kind has a line of its own")
    void kinds() {
        for (final Kind kind : Kind.values()) {
            report(kind, 3);
        }
        assertEquals(
                Kind.values().length,
                log.events().stream()
                        .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                        .count());
    }

    @Test
    @DisplayName("a cause that the message does not name is added to it, without a stack trace")
    void cause() {
        final IllegalStateException cause = new IllegalStateException("Disk full");
        faultLog.report("Peer", Kind.TLS.fault("The handshake failed", cause));
        assertTrue(
                warnings().get(0).contains("handshake failed: java.lang.IllegalStateException: Disk full"),
                warnings().get(0));
        assertTrue(log.events().stream()
                .filter(event -> event.getLevel() == Level.WARN)
                .allMatch(event -> event.getThrowableProxy() == null));
    }

    @Test
    @DisplayName("what is our own failure is an ERROR line with its stack trace")
    void ours() {
        final OutOfMemoryError cause = new OutOfMemoryError("Java heap space");
        faultLog.report("Peer", Kind.INTERNAL.fault("Step failed", cause));
        final ILoggingEvent line = log.events().getFirst();
        assertEquals(Level.ERROR, line.getLevel());
        assertEquals(cause.getClass().getName(), line.getThrowableProxy().getClassName());
    }

    @Test
    @DisplayName("what a peer said stays on one line, and is cut where it is long")
    void wireText() {
        faultLog.report("Peer", Kind.UNKNOWN_REQUEST.fault("It says 'a\nb\u2028\u202e'" + "x".repeat(70_000)));
        final String line = warnings().get(0);
        assertTrue(line.contains("'a\\u000ab\\u2028\\u202e'"), line);
        assertTrue(line.length() < 1_000, line);
    }

    @Test
    @DisplayName("a fault that is not logged is not put into words")
    void notLogged() {
        log.logger().setLevel(Level.INFO);
        final ConnectionFault fault = mock(ConnectionFault.class);
        when(fault.kind()).thenReturn(Kind.PEER_CLOSED);
        faultLog.report("Peer", fault);
        clearInvocations(fault);
        faultLog.report("Peer", fault);
        verify(fault, never()).getMessage();
        assertEquals(2, faultLog.count(Kind.PEER_CLOSED));
    }
}
