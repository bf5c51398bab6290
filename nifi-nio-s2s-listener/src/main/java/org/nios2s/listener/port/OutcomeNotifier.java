// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.transaction.BufferedPush;
import org.nios2s.listener.transaction.BufferedPush.State;
import org.nios2s.listener.transaction.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends transactions that have been claimed, and has their peers told, each on its own IO worker. Stateless; on the port task
 * or whichever thread has claimed them.
 */
final class OutcomeNotifier {
    private static final Logger logger = LoggerFactory.getLogger(OutcomeNotifier.class);

    private OutcomeNotifier() {}

    /** Reports those that have no outcome yet, one by one: an error with one of them keeps no other from its answer. */
    static void tell(final List<BufferedPush> transactions, final Outcome outcome) {
        for (final BufferedPush transaction : transactions) {
            Guarded.run("The answer to a peer", () -> tell(transaction, outcome));
        }
    }

    private static void tell(final BufferedPush transaction, final Outcome outcome) {
        if (transaction.state() != State.IN_SERVICE) {
            return;
        }
        Guarded.run(
                "Remembering what became of a transaction", () -> transaction.settleReceipt(outcome.fault() == null));
        try {
            transaction
                    .peer()
                    .worker()
                    .execute(() -> Guarded.run(
                            "The answer to a peer", () -> transaction.listener().completed(outcome)));
        } catch (final RejectedExecutionException e) {
            logger.debug("The listener has stopped: a peer gets no answer", e);
        } finally {
            transaction.end();
        }
    }
}
