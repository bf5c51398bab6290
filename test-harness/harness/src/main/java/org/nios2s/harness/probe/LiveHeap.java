// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.util.Map;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.nifi.Jcmd;
import org.nios2s.harness.nifi.Liveness;
import org.nios2s.harness.nifi.ProcessUsage;
import org.nios2s.harness.target.Target;

/** The live objects in the server's heap after a full collection, and its memory in RAM. Used on the command's thread. */
record LiveHeap(Target target) implements Probe {

    private static final double MEBIBYTE = 1024 * 1024;

    @Override
    public void after(final LoadOutcome outcome, final Map<String, Double> metrics) {
        if (target.process() != null && Liveness.isAlive(target.process())) {
            metrics.put("live-heap", new Jcmd(target.process()).heapAfterCollection() / MEBIBYTE);
            metrics.put("rss-after", ProcessUsage.of(target.process()).residentBytes() / MEBIBYTE);
        }
    }
}
