// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * {@link MemoryBudget} against a model that looks at everything each time: all sequences of a few acts, and long random ones.
 * Lives on the test's thread.
 */
@DisplayName("Two shares of a memory budget")
class MemoryBudgetModelTest {
    private static final int UNIT = MemoryBudget.SMALL_BYTES;
    private static final long LIMIT = 4 * UNIT;
    private static final int SHARES = 2;
    private static final int PEERS = 2;
    private static final int ACTS_OF_ALL_SEQUENCES = 4;
    private static final int CHARGES_OF_ALL_SEQUENCES = 3;
    private static final int RANDOM_SEQUENCES = 100;
    private static final int ACTS_OF_A_RANDOM_SEQUENCE = 150;
    private static final int CHARGES_OF_A_RANDOM_SEQUENCE = 12;

    private enum State {
        NEW,
        ADMITTING,
        ADMITTED,
        EXTENDING,
        STREAMS,
        EXTENDING_STREAM
    }

    /** What may be done with a charge. */
    private enum Act {
        RESERVE,
        ADD,
        GIVE_BACK,
        EXTEND,
        STREAM,
        SETTLE,
        CLOSE
    }

    /** A charge as the model sees it. Lives on the test's thread. */
    private static final class Transaction {
        private final int share;
        private final int peer;
        private final MemoryBudget.Account charge;
        private State state = State.NEW;
        private long held;
        private long reserved;
        /** Of what is counted, what came by the right of way. */
        private long excess;

        private int ticket;

        Transaction(final int share, final int peer, final MemoryBudget.Account charge) {
            this.share = share;
            this.peer = peer;
            this.charge = charge;
        }

        long counted() {
            return Math.max(held, reserved);
        }

        void hold(final long bytes) {
            final long before = counted();
            held += bytes;
            noteExcess(before);
        }

        void reserveUnit() {
            final long before = counted();
            reserved = before + UNIT;
            noteExcess(before);
        }

        private void noteExcess(final long before) {
            if (charge.hasRightOfWay()) {
                excess = Math.max(0, excess + counted() - before);
            }
        }

        boolean goesOn() {
            return state == State.ADMITTED || state == State.STREAMS;
        }

        boolean isWaiting() {
            return state == State.ADMITTING || state == State.EXTENDING || state == State.EXTENDING_STREAM;
        }
    }

    /** What has happened so far. Lives on the test's thread. */
    private static final class Model {
        private final MemoryBudget budget = new MemoryBudget(LIMIT);
        private final List<MemoryBudget.Quota> shares = List.of(budget.newQuota(), budget.newQuota());
        private final List<Transaction> transactions = new ArrayList<>();
        private final int mostTransactions;
        private int opened;
        private int tickets;

        Model(final int mostTransactions) {
            this.mostTransactions = mostTransactions;
        }

        private long used() {
            return transactions.stream().mapToLong(Transaction::counted).sum();
        }

        private long excess() {
            return transactions.stream()
                    .mapToLong(transaction -> transaction.excess)
                    .sum();
        }

        /** What counts against others. */
        private long used(final int share) {
            return transactions.stream()
                    .filter(transaction -> transaction.share == share)
                    .mapToLong(transaction -> transaction.counted() - transaction.excess)
                    .sum();
        }

        private long held(final Transaction by) {
            return transactions.stream()
                    .filter(transaction -> transaction.share == by.share && transaction.peer == by.peer)
                    .mapToLong(Transaction::counted)
                    .sum();
        }

        private boolean hasRoom(final Transaction wanting, final boolean small) {
            final long ofShare = used(wanting.share);
            if (ofShare < LIMIT / 64) {
                return true;
            }
            final long held = held(wanting);
            final boolean holdsLittle = held == 0 || held + UNIT <= LIMIT / 2 / 8;
            if (!holdsLittle && ofShare + UNIT > LIMIT / 2 * 7 / 8) {
                return false;
            }
            if (small) {
                return used() - excess() + UNIT <= LIMIT && ofShare + UNIT <= LIMIT / 2;
            }
            return used() - excess() + UNIT <= LIMIT * 3 / 4 && ofShare + UNIT <= LIMIT / 2 * 3 / 4;
        }

        private List<Transaction> waiting(final int share, final State state) {
            return transactions.stream()
                    .filter(transaction -> transaction.share == share && transaction.state == state)
                    .sorted(Comparator.comparingInt(transaction -> transaction.ticket))
                    .toList();
        }

        private Transaction next(final int share, final State state) {
            return waiting(share, state).stream()
                    .min(Comparator.comparingLong(this::held))
                    .orElseThrow();
        }

        private boolean isRightOfWayTaken(final int share, final State lane) {
            final boolean streams = lane == State.EXTENDING_STREAM;
            return transactions.stream()
                    .filter(transaction -> transaction.share == share)
                    .filter(transaction -> (transaction.state == State.STREAMS) == streams)
                    .anyMatch(transaction -> transaction.charge.hasRightOfWay());
        }

        void open(final int share, final int peer) {
            opened++;
            transactions.add(new Transaction(share, peer, shares.get(share).open(peer, UNIT)));
        }

        private void wait(final Transaction transaction, final State waits, final State goesOn) {
            final boolean isFirst =
                    waiting(transaction.share, waits).stream().allMatch(other -> held(other) > held(transaction));
            final boolean small = waits == State.ADMITTING;
            final boolean mayHave =
                    hasRoom(transaction, small) || !small && !isRightOfWayTaken(transaction.share, waits);
            final boolean immediate = small
                    ? transaction.charge.reserve(UNIT, () -> granted(transaction, goesOn))
                    : transaction.charge.extend(() -> granted(transaction, goesOn));
            assertEquals(isFirst && mayHave, immediate);
            if (immediate) {
                transaction.reserveUnit();
                transaction.state = goesOn;
            } else {
                transaction.state = waits;
                transaction.ticket = tickets++;
            }
        }

        private void granted(final Transaction transaction, final State goesOn) {
            assertTrue(transaction.isWaiting(), "called once, and while it waits");
            assertEquals(next(transaction.share, transaction.state), transaction, "whose turn it is");
            assertTrue(
                    hasRoom(transaction, transaction.state == State.ADMITTING) || transaction.charge.hasRightOfWay());
            transaction.reserveUnit();
            transaction.state = goesOn;
        }

        private boolean isPossible(final Transaction transaction, final Act act) {
            return switch (act) {
                case CLOSE -> true;
                case RESERVE -> transaction.state == State.NEW;
                case GIVE_BACK -> transaction.held > 0;
                case STREAM -> transaction.state == State.ADMITTED;
                case EXTEND -> transaction.goesOn() && !transaction.charge.hasRightOfWay();
                case ADD, SETTLE -> transaction.goesOn();
            };
        }

        private void act(final Transaction transaction, final Act act) {
            switch (act) {
                case RESERVE -> wait(transaction, State.ADMITTING, State.ADMITTED);
                case ADD -> add(transaction, UNIT * 3 / 4);
                case GIVE_BACK -> add(transaction, -transaction.held);
                case EXTEND -> {
                    if (transaction.state == State.STREAMS) {
                        wait(transaction, State.EXTENDING_STREAM, State.STREAMS);
                    } else {
                        wait(transaction, State.EXTENDING, State.ADMITTED);
                    }
                }
                case STREAM -> {
                    transaction.state = State.STREAMS;
                    transaction.excess = 0;
                    transaction.reserved = Math.min(transaction.reserved, UNIT);
                    transaction.charge.streams();
                }
                case SETTLE -> {
                    transaction.reserved = 0;
                    transaction.excess = 0;
                    transaction.charge.settle(0);
                }
                default -> {
                    transactions.remove(transaction);
                    transaction.charge.close();
                }
            }
            check();
        }

        private void add(final Transaction transaction, final long bytes) {
            transaction.hold(bytes);
            transaction.charge.add(bytes);
        }

        private void check() {
            assertEquals(used(), budget.used());
            for (int share = 0; share < SHARES; share++) {
                if (!waiting(share, State.ADMITTING).isEmpty()) {
                    assertFalse(hasRoom(next(share, State.ADMITTING), true), "somebody waits beside room");
                    assertTrue(shares.get(share).isContended());
                }
                for (final State lane : List.of(State.EXTENDING, State.EXTENDING_STREAM)) {
                    if (!waiting(share, lane).isEmpty()) {
                        assertFalse(hasRoom(next(share, lane), false), "somebody waits beside room");
                        assertTrue(isRightOfWayTaken(share, lane), "nobody has the right of way");
                    }
                }
            }
        }

        /** @return each act that is possible now: another transaction, or something with one that is there */
        List<Runnable> acts() {
            final List<Runnable> acts = new ArrayList<>();
            if (opened < mostTransactions) {
                for (int share = 0; share < SHARES; share++) {
                    for (int peer = 0; peer < PEERS; peer++) {
                        final int ofShare = share;
                        final int ofPeer = peer;
                        acts.add(() -> open(ofShare, ofPeer));
                    }
                }
            }
            for (final Transaction transaction : transactions) {
                for (final Act act : Act.values()) {
                    if (isPossible(transaction, act)) {
                        acts.add(() -> act(transaction, act));
                    }
                }
            }
            return acts;
        }

        /** Transactions that go on come to their end; then none waits any more. */
        void end() {
            while (!transactions.isEmpty()) {
                final Transaction goesOn = transactions.stream()
                        .filter(transaction -> !transaction.isWaiting())
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("everybody waits"));
                act(goesOn, Act.CLOSE);
            }
            assertEquals(0, budget.used());
        }
    }

    @Test
    @DisplayName("call the next as soon as there is room, and never stand still, in every sequence of a few acts")
    void allSequences() {
        continueWith(new ArrayList<>());
    }

    private static void continueWith(final List<Integer> acts) {
        final Model model = new Model(CHARGES_OF_ALL_SEQUENCES);
        acts.forEach(act -> model.acts().get(act).run());
        final int possible = model.acts().size();
        model.end();
        // Nothing happens before the first is open.
        if (acts.size() == CHARGES_OF_ALL_SEQUENCES + ACTS_OF_ALL_SEQUENCES) {
            return;
        }
        for (int next = 0; next < possible; next++) {
            if (acts.size() < CHARGES_OF_ALL_SEQUENCES && next >= SHARES * PEERS) {
                return;
            }
            acts.add(next);
            continueWith(acts);
            acts.removeLast();
        }
    }

    @Test
    @DisplayName("call the next as soon as there is room, and never stand still, in long random sequences")
    void randomSequences() {
        for (int seed = 0; seed < RANDOM_SEQUENCES; seed++) {
            final Random random = new Random(seed);
            final Model model = new Model(Integer.MAX_VALUE);
            for (int act = 0; act < ACTS_OF_A_RANDOM_SEQUENCE; act++) {
                final List<Runnable> acts = model.acts();
                int next = random.nextInt(acts.size());
                if (model.transactions.size() >= CHARGES_OF_A_RANDOM_SEQUENCE && next < SHARES * PEERS) {
                    next += SHARES * PEERS;
                }
                acts.get(next).run();
            }
            model.end();
        }
    }
}
