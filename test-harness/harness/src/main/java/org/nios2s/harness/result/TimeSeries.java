// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;

/**
 * How a run went, second by second. Immutable, any thread.
 *
 * @param samples one per second; the last may be that of a part of one, if it is half a second or more
 */
public record TimeSeries(List<Sample> samples) {

    /** Copies the list. */
    public TimeSeries {
        samples = List.copyOf(samples);
    }

    /**
     * One second of a run. What is not known is null.
     *
     * @param second                seconds from the start of the run to the end of this sample
     * @param transactionsPerSecond acknowledged transactions
     * @param failures              failed transactions by cause
     * @param p50Millis             median time of the transactions that ended in it; from the intended start when the run
     *                              has a pace
     * @param p99Millis             their tail
     * @param serverCpuPercent      processor time of the server, in percent of one processor
     * @param generatorCpuPercent   processor time of this process, likewise
     * @param serverResidentMebibytes memory of the server in RAM
     * @param serverThreads         threads of the server
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Sample(
            double second,
            double transactionsPerSecond,
            Map<String, Long> failures,
            Double p50Millis,
            Double p99Millis,
            Double serverCpuPercent,
            Double generatorCpuPercent,
            Double serverResidentMebibytes,
            Integer serverThreads) {}
}
