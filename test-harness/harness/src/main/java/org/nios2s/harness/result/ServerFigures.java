// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;

/** What a run cost the server's process. Immutable, any thread. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ServerFigures(
        double cpuMillis,
        double cpuMillisPerTransaction,
        double cpuPercent,
        Double idlePercent,
        Double netCpuMillisPerTransaction,
        long maxResidentBytes,
        int maxThreads) {

    /** The same beside what the process takes while it is idle. */
    public ServerFigures above(final Double idle, final long transactions) {
        if (idle == null || cpuPercent == 0) {
            return this;
        }
        final double wallMillis = cpuMillis / cpuPercent;
        final double net = Math.max(0, cpuMillis - idle * wallMillis);
        return new ServerFigures(
                cpuMillis,
                cpuMillisPerTransaction,
                cpuPercent,
                idle,
                transactions == 0 ? 0 : net / transactions,
                maxResidentBytes,
                maxThreads);
    }
}
