// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

/**
 * What became of the packets, by the sink's ledger. Immutable, any thread.
 *
 * @param acknowledged   packets of transactions that the server acknowledged
 * @param arrived        different packets of the run in the ledger
 * @param lost           acknowledged packets that are not in the ledger
 * @param duplicated     entries of the ledger beyond the first for the same packet
 * @param unacknowledged packets in the ledger whose transaction failed on the client's side: a client would send them
 *                       again, which the protocol allows
 * @param settled        whether the ledger stood still when it was read; if not, lost packets may only be late
 */
public record LedgerFigures(
        long acknowledged, long arrived, long lost, long duplicated, long unacknowledged, boolean settled) {

    /** Whether every acknowledged packet arrived exactly once: true when nothing is lost and nothing is there twice. */
    public boolean exact() {
        return lost == 0 && duplicated == 0 && settled;
    }
}
