// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.util.Map;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.nifi.NifiNode;

/** The most that the NIO listener has buffered since NiFi was started. Used on the command's thread. */
record Buffered(NifiNode nifi) implements Probe {

    private static final double MEBIBYTE = 1024 * 1024;

    @Override
    public void after(final LoadOutcome outcome, final Map<String, Double> metrics) {
        final Double peak = nifi.metrics("SiteToSiteListener").get("BufferPeakBytes");
        if (peak != null) {
            metrics.put("buffered", peak / MEBIBYTE);
        }
    }
}
