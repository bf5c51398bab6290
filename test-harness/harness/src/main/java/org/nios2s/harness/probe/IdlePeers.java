// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.engine.Target;
import org.nios2s.harness.load.wire.PeerCrowd;
import org.nios2s.harness.load.wire.PeerCrowd.Attendance;
import org.nios2s.harness.load.wire.PeerCrowd.Habit;
import org.nios2s.harness.load.wire.PeerCrowd.Plan;
import org.nios2s.harness.load.wire.WireTls;
import org.nios2s.harness.nifi.Jcmd;
import org.nios2s.harness.nifi.ProcessUsage;
import org.nios2s.harness.result.Spread;

/**
 * Peers that connect and do nothing: how fast they are all there, and what memory each of them takes, with the part of it
 * that may be the server's own coming and going. They leave before the clients begin. Used on the command's thread.
 */
record IdlePeers(Target target, int peers, int perSecond) implements Probe {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int LOOKS = 3;
    private static final double KIBIBYTE = 1024;

    /** What a process takes at a moment, its heap after a collection. */
    private record Footprint(double heap, double resident, double threads) {

        private static Footprint of(final ProcessHandle process) {
            final long heap = new Jcmd(process).heapAfterCollection();
            final ProcessUsage usage = ProcessUsage.of(process);
            return new Footprint(heap, usage.residentBytes(), usage.threads());
        }
    }

    @Override
    public void before(final Map<String, Double> figures) throws InterruptedException {
        if (target.process() == null) {
            throw new HarnessException("What an idle peer costs is to be seen on the server's machine only");
        }
        final List<Footprint> without = look();
        final Plan plan = new Plan(peers, perSecond, Habit.IDLE, TIMEOUT);
        try (PeerCrowd crowd = PeerCrowd.gather(plan, target.address(), WireTls.client(target.tls()))) {
            crowd.awaitGathered(PATIENCE);
            final List<Footprint> with = look();
            final Attendance attendance = crowd.attendance();
            final double present = Math.max(1, attendance.present());
            figures.put("idle-peers", (double) attendance.present());
            figures.put("idle-refused", (double) (attendance.refused() + attendance.dropped()));
            figures.put("idle-seconds", attendance.seconds());
            put(figures, "idle-heap", without, with, Footprint::heap, present * KIBIBYTE);
            put(figures, "idle-native", without, with, Footprint::resident, present * KIBIBYTE);
            final double threadsWithout = median(without, Footprint::threads).median();
            figures.put("idle-threads", median(with, Footprint::threads).median() - threadsWithout);
        }
    }

    private List<Footprint> look() {
        return Stream.generate(() -> Footprint.of(target.process()))
                .limit(LOOKS)
                .toList();
    }

    /** The difference of the medians; its error is what equal looks differ by. */
    private static void put(
            final Map<String, Double> figures,
            final String key,
            final List<Footprint> without,
            final List<Footprint> with,
            final ToDoubleFunction<Footprint> value,
            final double divisor) {
        final Spread before = median(without, value);
        final Spread after = median(with, value);
        figures.put(key, (after.median() - before.median()) / divisor);
        figures.put(key + "-error", Math.max(before.most() - before.least(), after.most() - after.least()) / divisor);
    }

    private static Spread median(final List<Footprint> looks, final ToDoubleFunction<Footprint> value) {
        return Spread.of(looks.stream().map(value::applyAsDouble).toList());
    }
}
