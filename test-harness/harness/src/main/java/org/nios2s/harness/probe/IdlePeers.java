// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.wire.PeerSwarm;
import org.nios2s.harness.load.wire.PeerSwarm.Behaviour;
import org.nios2s.harness.load.wire.PeerSwarm.Plan;
import org.nios2s.harness.load.wire.PeerSwarm.Presence;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.nifi.Jcmd;
import org.nios2s.harness.nifi.ProcessUsage;
import org.nios2s.harness.result.Range;
import org.nios2s.harness.target.Target;

/**
 * Peers that connect and do nothing: how fast they are all there, and what memory each of them takes, with the part of it
 * that may be the server's own coming and going. They leave before the clients begin. Used on the command's thread.
 */
record IdlePeers(Target target, int peers, int perSecond) implements Probe {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int LOOKS = 3;
    private static final double KIBIBYTE = 1024;

    /** The memory of a process at a moment, its heap after a collection. */
    private record Footprint(double heap, double resident, double threads) {

        private static Footprint of(final ProcessHandle process) {
            final long heap = new Jcmd(process).heapAfterCollection();
            final ProcessUsage usage = ProcessUsage.of(process);
            return new Footprint(heap, usage.residentBytes(), usage.threads());
        }
    }

    @Override
    public void before(final Map<String, Double> metrics) throws InterruptedException {
        if (target.process() == null) {
            throw new HarnessException("The cost of an idle peer can be measured only on the server's machine");
        }
        final List<Footprint> without = look();
        final Plan plan = new Plan(peers, perSecond, Behaviour.IDLE, TIMEOUT);
        try (PeerSwarm swarm = PeerSwarm.gather(plan, target.address(), WireTls.client(target.tls()))) {
            swarm.awaitGathered(PATIENCE);
            final List<Footprint> with = look();
            final Presence presence = swarm.presence();
            final double present = Math.max(1, presence.present());
            metrics.put("idle-peers", (double) presence.present());
            metrics.put("idle-refused", (double) (presence.refused() + presence.dropped()));
            metrics.put("idle-seconds", presence.seconds());
            put(metrics, "idle-heap", without, with, Footprint::heap, present * KIBIBYTE);
            put(metrics, "idle-native", without, with, Footprint::resident, present * KIBIBYTE);
            final double threadsWithout = median(without, Footprint::threads).median();
            metrics.put("idle-threads", median(with, Footprint::threads).median() - threadsWithout);
        }
    }

    private List<Footprint> look() {
        return Stream.generate(() -> Footprint.of(target.process()))
                .limit(LOOKS)
                .toList();
    }

    /** The difference of the medians; its error is what equal looks differ by. */
    private static void put(
            final Map<String, Double> metrics,
            final String key,
            final List<Footprint> without,
            final List<Footprint> with,
            final ToDoubleFunction<Footprint> value,
            final double divisor) {
        final Range before = median(without, value);
        final Range after = median(with, value);
        metrics.put(key, (after.median() - before.median()) / divisor);
        metrics.put(key + "-error", Math.max(before.max() - before.min(), after.max() - after.min()) / divisor);
    }

    private static Range median(final List<Footprint> looks, final ToDoubleFunction<Footprint> value) {
        return Range.of(looks.stream().map(value::applyAsDouble).toList());
    }
}
