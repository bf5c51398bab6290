// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.util.ArrayList;
import java.util.List;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.target.MeasuredTarget;

/** Makes the probes that settings ask for. Stateless, any thread. */
public final class Probes {

    private Probes() {}

    /** In the order in which they look. */
    public static List<Probe> of(final Settings settings, final MeasuredTarget nifi) {
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
