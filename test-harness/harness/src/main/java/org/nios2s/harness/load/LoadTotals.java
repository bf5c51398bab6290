// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.Map;

/**
 * The totals of the clients of a load run, their failures included. Immutable; any thread.
 *
 * @param failures        failed transactions by cause
 * @param flowFiles       FlowFiles of the acknowledged transactions
 * @param bytes           content of the acknowledged transactions
 * @param abandoned       transactions given up because the run was stopped
 * @param missed          transactions that the pace had asked for and no client came to
 * @param destinationFull acknowledged transactions after which the destination was full
 */
public record LoadTotals(
        Map<String, Long> failures, long flowFiles, long bytes, long abandoned, long missed, long destinationFull) {}
