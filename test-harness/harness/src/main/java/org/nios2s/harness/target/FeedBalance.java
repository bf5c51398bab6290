// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.PullLedger;
import org.nios2s.harness.result.RunResult.LedgerMetrics;

/**
 * The packets that left a feed's queue against those that clients received, over all runs since it began. A packet that was received
 * and rolled back is pulled in a later run. Until then it hides a lost packet. Used on the thread of the one load that pulls.
 */
final class FeedBalance {

    private final PullLedger ledger;
    private PullLedger.State before;
    private long open;
    private long again;
    private long lost;
    private long duplicated;

    FeedBalance(final Shape shape) {
        this.ledger = new PullLedger(shape);
    }

    PullLedger ledger() {
        return ledger;
    }

    /** A run begins. */
    void begin() {
        before = ledger.state();
    }

    /**
     * FlowFiles that left the queue, without those that were received: 0 when all is well.
     *
     * @param left how many left it in this run
     */
    long after(final long left) {
        final PullLedger.State state = ledger.state().since(before);
        return open + left - state.different() - state.withoutId();
    }

    /** Ends a run with what {@link #after} said: its metrics count what no earlier run has counted. */
    LedgerMetrics count(final long balance, final boolean settled) {
        final PullLedger.State state = ledger.state().since(before);
        open = balance;
        again += state.duplicated();
        final long lostBefore = lost;
        final long duplicatedBefore = duplicated;
        lost = Math.max(lost, balance);
        duplicated = Math.max(duplicated, again + Math.max(0, -balance));
        return new LedgerMetrics(
                state.received(),
                state.different(),
                lost - lostBefore,
                duplicated - duplicatedBefore,
                0,
                state.damaged(),
                state.damage(),
                settled);
    }
}
