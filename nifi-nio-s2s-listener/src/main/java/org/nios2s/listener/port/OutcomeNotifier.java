// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.nios2s.listener.fault.ConnectionFault;
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

    private static final Outcome COMMITTED = Outcome.committed(false);

    private OutcomeNotifier() {}

    /** They are committed: whatever goes wrong while their peers are told, no other outcome is reported for them. */
    static void committed(final List<BufferedPush> transactions, final boolean destinationFull) {
        final Outcome outcome = Outcome.committed(destinationFull);
        Guarded.run("The answer to peers", () -> give(transactions, outcome));
        giveOneByOne(transactions, outcome);
    }

    /** Those that have no answer yet are committed all the same; whether the destination is full they hear next time. */
    static void committedOneByOne(final List<BufferedPush> transactions) {
        giveOneByOne(transactions, COMMITTED);
    }

    /** They have the same outcome: each IO worker is told of all its own in one go. */
    private static void give(final List<BufferedPush> transactions, final Outcome outcome) {
        transactions.stream()
                .collect(Collectors.groupingBy(transaction -> transaction.peer().worker()))
                .forEach((worker, own) -> tell(worker, own, outcome));
    }

    /** Those that have no answer yet have failed; whatever goes wrong with one, the others are told. */
    static void failed(final List<BufferedPush> transactions, final ConnectionFault fault) {
        giveOneByOne(transactions, Outcome.failed(fault));
    }

    private static void giveOneByOne(final List<BufferedPush> transactions, final Outcome outcome) {
        for (final BufferedPush transaction : transactions) {
            if (transaction.state() == State.IN_SERVICE) {
                Guarded.run("The answer to a peer", () -> give(List.of(transaction), outcome));
            }
        }
    }

    private static void tell(final EventExecutor worker, final List<BufferedPush> transactions, final Outcome outcome) {
        try {
            worker.execute(new Notification(transactions, outcome));
        } catch (final RejectedExecutionException e) {
            logger.debug("The listener has stopped: {} peers do not hear of their end", transactions.size(), e);
        } finally {
            transactions.forEach(BufferedPush::end);
        }
    }

    /** Tells transactions of one IO worker of their outcome. Lives on that worker. */
    private record Notification(List<BufferedPush> transactions, Outcome outcome) implements Runnable {
        @Override
        public void run() {
            for (final BufferedPush transaction : transactions) {
                Guarded.run("The answer to a peer", () -> transaction.listener().completed(outcome));
            }
        }
    }
}
