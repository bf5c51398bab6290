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
import org.nios2s.harness.load.LoadServer;
import org.nios2s.harness.load.LoadServer.Script;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.wire.PeerSwarm.Behaviour;
import org.nios2s.harness.load.wire.PeerSwarm.Plan;

/** A swarm of peers at a scripted server on loopback. Runs on the test's thread. */
@Timeout(60)
class PeerSwarmTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int PEERS = 20;
    private static final int PER_SECOND = 1_000;

    @Test
    void idlePeersGetReadyAndStay() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL);
                PeerSwarm swarm = gather(server, Behaviour.IDLE)) {
            assertTrue(swarm.awaitGathered(PATIENCE));
            assertEquals(PEERS, swarm.presence().present());
            assertEquals(Map.of(), swarm.presence().causes());
            assertEquals(PEERS, server.connections());
        }
    }

    @Test
    void slowPeersWhoseServerLeavesAreDropped() throws Exception {
        final LoadServer server = new LoadServer(Script.FAITHFUL);
        try (PeerSwarm swarm = gather(server, Behaviour.TRICKLE)) {
            assertTrue(swarm.awaitGathered(PATIENCE));
            assertEquals(PEERS, swarm.presence().present());
            server.close();
            Awaitility.await().atMost(PATIENCE).until(() -> swarm.presence().dropped() == PEERS);
            assertEquals(0, swarm.presence().present());
        } finally {
            server.close();
        }
    }

    @Test
    void whoeverTheServerRefusesIsCountedWithTheCause() throws Exception {
        try (LoadServer server = new LoadServer(Script.REFUSE_PORT);
                PeerSwarm swarm = gather(server, Behaviour.IDLE)) {
            assertTrue(swarm.awaitGathered(PATIENCE));
            assertEquals(PEERS, swarm.presence().refused());
            assertEquals(
                    PEERS,
                    swarm.presence().causes().values().stream()
                            .mapToLong(Long::longValue)
                            .sum());
        }
    }

    private static PeerSwarm gather(final LoadServer server, final Behaviour behaviour) {
        final TargetAddress address = new TargetAddress(
                InetAddress.getLoopbackAddress().getHostAddress(), server.port(), LoadServer.PORT_ID, null);
        return PeerSwarm.gather(new Plan(PEERS, PER_SECOND, behaviour, PATIENCE), address, null);
    }
}
