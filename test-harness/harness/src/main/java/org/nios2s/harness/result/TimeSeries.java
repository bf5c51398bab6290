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

    /** One second of a run. What is not known is null. */
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
