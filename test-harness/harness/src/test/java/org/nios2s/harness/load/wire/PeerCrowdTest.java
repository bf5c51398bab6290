// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.load.ScriptedServer;
import org.nios2s.harness.load.ScriptedServer.Script;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.wire.PeerCrowd.Habit;
import org.nios2s.harness.load.wire.PeerCrowd.Plan;

/** A crowd of peers at a scripted server on loopback. Runs on the test's thread. */
@Timeout(60)
class PeerCrowdTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int PEERS = 20;
    private static final int PER_SECOND = 1_000;

    @Test
    void idlePeersGetReadyAndStay() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Script.FAITHFUL);
                PeerCrowd crowd = gather(server, Habit.IDLE)) {
            assertTrue(crowd.awaitGathered(PATIENCE));
            assertEquals(PEERS, crowd.attendance().present());
            assertEquals(Map.of(), crowd.attendance().causes());
            assertEquals(PEERS, server.connections());
        }
    }

    @Test
    void slowPeersWhoseServerLeavesAreDropped() throws Exception {
        final ScriptedServer server = new ScriptedServer(Script.FAITHFUL);
        try (PeerCrowd crowd = gather(server, Habit.TRICKLE)) {
            assertTrue(crowd.awaitGathered(PATIENCE));
            assertEquals(PEERS, crowd.attendance().present());
            server.close();
            Awaitility.await().atMost(PATIENCE).until(() -> crowd.attendance().dropped() == PEERS);
            assertEquals(0, crowd.attendance().present());
        } finally {
            server.close();
        }
    }

    @Test
    void whoeverTheServerRefusesIsCountedWithTheCause() throws Exception {
        try (ScriptedServer server = new ScriptedServer(Script.REFUSE_PORT);
                PeerCrowd crowd = gather(server, Habit.IDLE)) {
            assertTrue(crowd.awaitGathered(PATIENCE));
            assertEquals(PEERS, crowd.attendance().refused());
            assertEquals(
                    PEERS,
                    crowd.attendance().causes().values().stream()
                            .mapToLong(Long::longValue)
                            .sum());
        }
    }

    private static PeerCrowd gather(final ScriptedServer server, final Habit habit) {
        final TargetAddress address = new TargetAddress(
                InetAddress.getLoopbackAddress().getHostAddress(), server.port(), ScriptedServer.PORT_ID, null);
        return PeerCrowd.gather(new Plan(PEERS, PER_SECOND, habit, PATIENCE), address, null);
    }
}
