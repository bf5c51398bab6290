// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

/**
 * What a run cost the server, from the start of the first client until the sink's ledger stood still: work that was put
 * off until the clients had ended counts. Immutable, any thread.
 *
 * @param cpuMillis               processor time in that span
 * @param cpuMillisPerTransaction the same divided by the acknowledged transactions, 0 when there are none
 * @param cpuPercent              the same in percent of one processor
 * @param maxResidentBytes        most memory in RAM
 * @param maxThreads              most threads
 */
public record ServerFigures(
        double cpuMillis, double cpuMillisPerTransaction, double cpuPercent, long maxResidentBytes, int maxThreads) {}
