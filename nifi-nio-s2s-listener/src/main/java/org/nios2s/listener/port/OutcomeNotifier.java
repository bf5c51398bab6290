// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
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

    /** Reports transactions as committed. A failure on the way to their peers changes no outcome. */
    static void committed(final List<BufferedPush> transactions, final boolean destinationFull) {
        final Outcome outcome = Outcome.committed(destinationFull);
        Guarded.run("The answer to peers", new Answer(transactions, outcome));
        answerOneByOne(transactions, outcome);
    }

    /** Reports those that have no answer yet as committed, too; their peers do not learn whether the destination is full. */
    static void committedOneByOne(final List<BufferedPush> transactions) {
        answerOneByOne(transactions, COMMITTED);
    }

    /** Reports those that have no answer yet as failed, one by one: an error with one of them keeps no other from its answer. */
    static void failed(final List<BufferedPush> transactions, final ConnectionFault fault) {
        answerOneByOne(transactions, Outcome.failed(fault));
    }

    private static void answerOneByOne(final List<BufferedPush> transactions, final Outcome outcome) {
        for (final BufferedPush transaction : transactions) {
            if (transaction.state() == State.IN_SERVICE) {
                Guarded.run("The answer to a peer", new Answer(List.of(transaction), outcome));
            }
        }
    }

    /** Transactions with the same outcome: each IO worker gets one task for all of its own. On the port task. */
    private record Answer(List<BufferedPush> transactions, Outcome outcome) implements Guarded.Task {
        @Override
        public void run() {
            final Map<EventExecutor, List<BufferedPush>> ofWorkers = new HashMap<>();
            for (final BufferedPush transaction : transactions) {
                ofWorkers
                        .computeIfAbsent(transaction.peer().worker(), worker -> new ArrayList<>())
                        .add(transaction);
            }
            ofWorkers.forEach(this::tell);
        }

        private void tell(final EventExecutor worker, final List<BufferedPush> own) {
            own.forEach(transaction -> Guarded.run(
                    "Remembering what became of a transaction",
                    () -> transaction.settleReceipt(outcome.fault() == null)));
            try {
                worker.execute(new Notification(own, outcome));
            } catch (final RejectedExecutionException e) {
                logger.debug("The listener has stopped: {} peers get no answer", own.size(), e);
            } finally {
                own.forEach(BufferedPush::end);
            }
        }
    }

    /** The outcome of all transactions of one IO worker. Lives on that worker. */
    private record Notification(List<BufferedPush> transactions, Outcome outcome) implements Runnable {
        @Override
        public void run() {
            for (final BufferedPush transaction : transactions) {
                Guarded.run("The answer to a peer", new Delivery(transaction, outcome));
            }
        }
    }

    /** The outcome of one transaction. Lives on its connection's IO worker. */
    private record Delivery(BufferedPush transaction, Outcome outcome) implements Guarded.Task {
        @Override
        public void run() {
            transaction.listener().completed(outcome);
        }
    }
}
