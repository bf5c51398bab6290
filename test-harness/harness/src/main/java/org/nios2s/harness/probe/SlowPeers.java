// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.time.Duration;
import java.util.Map;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.wire.PeerSwarm;
import org.nios2s.harness.load.wire.PeerSwarm.Behaviour;
import org.nios2s.harness.load.wire.PeerSwarm.Plan;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.target.Target;

/**
 * Peers that send a byte per second inside a transaction while the clients are at work. Used on the command's thread; the
 * peers live on an event loop of their own.
 */
final class SlowPeers implements Probe {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Target target;
    private final Plan plan;
    private PeerSwarm swarm;

    SlowPeers(final Target target, final int peers, final int perSecond) {
        this.target = target;
        this.plan = new Plan(peers, perSecond, Behaviour.TRICKLE, TIMEOUT);
    }

    @Override
    public void before(final Map<String, Double> metrics) throws InterruptedException {
        swarm = PeerSwarm.gather(plan, target.address(), WireTls.client(target.tls()));
        if (!swarm.awaitGathered(PATIENCE) || swarm.presence().present() < plan.peers()) {
            throw new HarnessException("Not all slow peers could begin a transaction at %s: %s"
                    .formatted(target.name(), swarm.presence()));
        }
    }

    @Override
    public void after(final LoadOutcome outcome, final Map<String, Double> metrics) {
        metrics.put("slow-peers", (double) swarm.presence().present());
    }

    @Override
    public void close() {
        if (swarm != null) {
            swarm.close();
        }
    }
}
