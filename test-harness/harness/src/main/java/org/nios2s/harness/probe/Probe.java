// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.target.MeasuredTarget;

/** Something that is measured beside a load. Used on the command's thread, once for each measurement. */
public interface Probe extends AutoCloseable {

    /** Before the load begins; nothing else happens at the server. */
    default void before(final Map<String, Double> metrics) throws InterruptedException {}

    /** When the load has ended; {@code outcome} is what its clients did. */
    default void after(final LoadOutcome outcome, final Map<String, Double> metrics) throws InterruptedException {}

    @Override
    default void close() {}

    /** The probes that settings ask for; {@code interrupted} says when one that waits should stop. */
    static List<Probe> of(final Settings settings, final MeasuredTarget nifi, final BooleanSupplier interrupted) {
        final List<Probe> probes = new ArrayList<>();
        if (settings.number(Parameter.IDLE_PEERS) > 0) {
            probes.add(new IdlePeers(
                    nifi.target(), settings.number(Parameter.IDLE_PEERS), settings.number(Parameter.PEER_RATE)));
        }
        if (settings.number(Parameter.PORTS) > 1) {
            probes.add(new Triggers(nifi.node()));
        }
        if (settings.number(Parameter.SLOW_PEERS) > 0) {
            probes.add(new SlowPeers(
                    nifi.target(), settings.number(Parameter.SLOW_PEERS), settings.number(Parameter.PEER_RATE)));
        }
        if (settings.flag(Parameter.LARGE)) {
            probes.add(new Buffered(nifi.node()));
        }
        // Behind the probes that connect peers, and before the one that collects garbage.
        probes.add(new ServerPauses(nifi));
        if (LoopbackTraffic.leadsTo(nifi.target().address().socket())) {
            probes.add(new LoopbackTraffic());
        }
        if (settings.flag(Parameter.LIVE_HEAP)) {
            probes.add(new LiveHeap(nifi.target()));
        }
        return probes;
    }
}
