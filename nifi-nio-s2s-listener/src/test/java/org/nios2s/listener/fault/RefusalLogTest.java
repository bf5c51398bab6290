// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.peers.LogLines;
import org.nios2s.wire.ResponseCode;

/** What an operator reads of peers that were refused. Lives on the test's thread. */
class RefusalLogTest {
    private static final int FLEET = 2_000;

    @AutoClose
    private final LogLines lines = new LogLines(RefusalLogTest.class, Level.INFO);

    private long now = Long.MAX_VALUE - 1000;
    private final RefusalLog log = new RefusalLog(lines.logger(), () -> now);

    private void report(final String peer, final ResponseCode code) {
        log.report("Peer " + peer, peer, code, "It is so");
    }

    private List<String> lines() {
        return lines.lines();
    }

    @Test
    @DisplayName("a refusal is one INFO line that says who, why, and with which code")
    void line() {
        report("a", ResponseCode.PORT_NOT_IN_VALID_STATE);
        assertEquals(List.of("Peer a: The handshake is refused: It is so (201 PORT_NOT_IN_VALID_STATE)"), lines());
        assertEquals(Level.INFO, lines.events().getFirst().getLevel());
    }

    @Test
    @DisplayName("a peer has one line a minute for each code, over the overflow of the clock, and all are counted")
    void onePerPeerCodeAndMinute() {
        for (int i = 0; i < 10; i++) {
            report("a", ResponseCode.UNAUTHORIZED);
            report("a", ResponseCode.PORTS_DESTINATION_FULL);
            report("b", ResponseCode.UNAUTHORIZED);
        }
        assertEquals(3, lines().size());
        now += Duration.ofSeconds(60).toNanos();
        report("a", ResponseCode.UNAUTHORIZED);
        report("a", ResponseCode.UNAUTHORIZED);
        assertEquals(4, lines().size());
        assertEquals(22, log.count(ResponseCode.UNAUTHORIZED));
        assertEquals(10, log.count(ResponseCode.PORTS_DESTINATION_FULL));
        assertEquals(0, log.count(ResponseCode.UNKNOWN_PORT));
    }

    @Test
    @DisplayName("a fleet that is refused has a bounded number of lines, and the summary has its number")
    void fleet() {
        for (int agent = 0; agent < FLEET; agent++) {
            report("agent-" + agent, ResponseCode.PORTS_DESTINATION_FULL);
        }
        assertEquals(RefusalLog.MAX_LINES, lines().size());
        report("stranger", ResponseCode.UNAUTHORIZED);
        log.logSummary();
        assertEquals(
                "Handshakes refused since the last summary: 2000 PORTS_DESTINATION_FULL, 1 UNAUTHORIZED",
                lines().getLast());
        report("stranger", ResponseCode.UNAUTHORIZED);
        log.logSummary();
        assertEquals("Handshakes refused since the last summary: 1 UNAUTHORIZED", lines().getLast());
        final int before = lines().size();
        log.logSummary();
        assertEquals(before, lines().size());
    }

    @Test
    @DisplayName("what a peer said stays on one line, and is cut where it is long")
    void wireText() {
        log.report("Peer", "peer", ResponseCode.UNKNOWN_PROPERTY_NAME, "'a\nb\u2028'" + "x".repeat(70_000));
        final String line = lines().getFirst();
        assertTrue(line.contains("'a\\u000ab\\u2028'"), line);
        assertTrue(line.length() < 1_000, line);
    }
}
