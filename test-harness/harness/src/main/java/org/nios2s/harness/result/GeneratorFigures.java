// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What a run cost the process that makes the load, and whether it kept up. Immutable, any thread.
 *
 * @param cpuMillisPerTransaction processor time per acknowledged transaction, 0 when there are none
 * @param cpuPercent              processor time in percent of one processor
 * @param busiestThreadPercent    processor time of its busiest thread in an ordinary second (median), in percent of one
 *                                processor
 * @param lateP99Millis           how much later than due it began a transaction, 99 % at most; null when it is not known
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GeneratorFigures(
        double cpuMillisPerTransaction, double cpuPercent, double busiestThreadPercent, Double lateP99Millis) {}
