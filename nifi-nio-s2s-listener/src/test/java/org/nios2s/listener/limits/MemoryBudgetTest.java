// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of {@link MemoryBudget}. Lives on the test's thread. */
@DisplayName("The memory budget")
class MemoryBudgetTest {
    private static final int UNIT = MemoryBudget.SMALL_BYTES;
    private static final int KIB = 1024;
    private static final long LIMIT = 64 * UNIT;

    private final MemoryBudget budget = new MemoryBudget(LIMIT);
    private final MemoryBudget.Quota share = budget.newQuota();
    private final List<String> called = new ArrayList<>();

    private MemoryBudget.Account charge(final MemoryBudget.Quota of, final long bytes) {
        final MemoryBudget.Account charge = of.open();
        charge.add(bytes);
        return charge;
    }

    /** Reserves a unit, or waits for it. */
    private MemoryBudget.Account admit(final String who) {
        return admit(who, who);
    }

    private MemoryBudget.Account admit(final String who, final String peer) {
        final MemoryBudget.Account charge = share.open(peer, UNIT);
        if (charge.reserve(UNIT, () -> called.add(who))) {
            called.add(who);
        }
        return charge;
    }

    @Test
    @DisplayName("counts what each holder has, and gives all of it back with its end, once")
    void counts() {
        final MemoryBudget.Account charge = charge(share, 100);
        charge.add(-40);
        assertEquals(60, budget.used());
        charge.close();
        charge.close();
        charge.add(1_000);
        charge.settle(1_000);
        charge.streams();
        assertEquals(0, budget.used());
        assertEquals(100, budget.peakSinceLastCall());
    }

    @Test
    @DisplayName("has what is held use up what was reserved, and gives back what is left of it when no more is needed")
    void reservation() {
        final MemoryBudget.Account charge = admit("one");
        assertEquals(UNIT, budget.used());
        charge.add(100);
        charge.add(UNIT - 100);
        assertEquals(UNIT, budget.used());
        charge.add(1);
        assertEquals(UNIT + 1, budget.used());
        charge.add(-UNIT);
        assertEquals(UNIT, budget.used());
        charge.settle(9);
        assertEquals(10, budget.used());
        charge.close();
        assertEquals(0, budget.used());
    }

    @Test
    @DisplayName("leaves the last quarter of a share to small charges")
    void smallAndLarge() {
        final MemoryBudget.Account large = charge(share, LIMIT / 2 - LIMIT / 8);
        assertFalse(large.canGrow());
        assertFalse(share.hasRoomForLarge());
        final MemoryBudget.Account small = charge(share, UNIT - 1);
        assertTrue(small.canGrow());
        charge(share, LIMIT / 8);
        assertFalse(small.canGrow());
    }

    @Test
    @DisplayName("lets one port use half of it, and gives each port some of its own")
    void shares() {
        charge(share, LIMIT / 2);
        final MemoryBudget.Quota neighbour = budget.newQuota();
        assertTrue(neighbour.open().canGrow());
        charge(neighbour, LIMIT / 2);
        assertFalse(neighbour.open().canGrow());
        final MemoryBudget.Quota third = budget.newQuota();
        assertTrue(third.open().canGrow());
        charge(third, UNIT);
        assertFalse(third.open().canGrow());
    }

    @Test
    @DisplayName("calls each that waits as soon as there is room for it, in order, and has newcomers stand behind")
    void calls() {
        final MemoryBudget.Account full = charge(share, LIMIT / 2);
        final MemoryBudget.Account first = admit("first");
        final MemoryBudget.Account second = admit("second");
        assertEquals(List.of(), called);
        assertTrue(share.isContended());
        full.add(-UNIT + 1);
        assertFalse(admit("newcomer").canGrow());
        assertEquals(List.of(), called);
        full.add(-1);
        assertEquals(List.of("first"), called);
        full.add(-UNIT);
        assertEquals(List.of("first", "second"), called);
        first.close();
        assertEquals(List.of("first", "second", "newcomer"), called);
        second.close();
        assertFalse(share.isContended());
    }

    @Test
    @DisplayName("calls the next for what a reservation gives back")
    void reservationGivesBack() {
        charge(share, LIMIT / 2 - UNIT);
        final MemoryBudget.Account small = admit("small");
        admit("a unit");
        assertEquals(List.of("small"), called);
        small.settle(KIB);
        assertEquals(List.of("small"), called);
        small.settle(-KIB);
        assertEquals(List.of("small", "a unit"), called);
    }

    @Test
    @DisplayName("forgets who leaves the line")
    void withdraw() {
        final MemoryBudget.Account full = charge(share, LIMIT);
        admit("leaves").close();
        admit("stays");
        full.close();
        assertEquals(List.of("stays"), called);
    }

    @Test
    @DisplayName("calls the peer first that holds least, and within a peer the one that has waited longest")
    void leastFirst() {
        final MemoryBudget.Account full = charge(share, LIMIT / 2 - UNIT);
        admit("greedy 1", "greedy");
        admit("greedy 2", "greedy");
        admit("greedy 3", "greedy");
        admit("modest 1", "modest");
        admit("modest 2", "modest");
        full.add(-4 * UNIT);
        assertEquals(List.of("greedy 1", "modest 1", "greedy 2", "modest 2", "greedy 3"), called);
    }

    @Test
    @DisplayName("keeps the last eighth of a share for peers that hold little, even while one that holds much waits")
    void roomForOthers() {
        final int all = (int) (LIMIT / 2 / UNIT);
        final int mostOfOne = all - all / 8;
        for (int account = 0; account < all; account++) {
            admit("greedy", "greedy");
        }
        assertEquals(Collections.nCopies(mostOfOne, "greedy"), called);
        called.clear();
        for (int account = 0; account < all; account++) {
            admit("modest", "modest");
        }
        assertEquals(Collections.nCopies(all / 8, "modest"), called);
    }

    @Test
    @DisplayName("does not count what exceeds it by the right of way against others, until the packet is finished")
    void rightOfWayIsNoRoomOfOthers() {
        charge(share, LIMIT / 2 - LIMIT / 8);
        final MemoryBudget.Account endless = admit("endless");
        endless.add(UNIT);
        assertTrue(endless.extend(() -> called.add("never")));
        endless.add(LIMIT);
        final MemoryBudget.Account other = admit("other");
        assertEquals(List.of("endless", "other"), called);
        other.close();
        endless.settle(0);
        admit("later");
        assertEquals(List.of("endless", "other"), called);
        endless.close();
        assertEquals(List.of("endless", "other", "later"), called);
    }

    @Test
    @DisplayName(
            "gives the right of way to one of those that hold some and can't go on, until what it holds is relieved")
    void rightOfWay() {
        charge(share, LIMIT / 2);
        final MemoryBudget.Account first = charge(share, UNIT);
        final MemoryBudget.Account second = charge(share, UNIT);
        final MemoryBudget.Account streaming = charge(share, UNIT);
        streaming.streams();
        assertTrue(first.extend(() -> called.add("first")));
        assertTrue(first.hasRightOfWay());
        assertFalse(second.extend(() -> called.add("second")));
        assertTrue(streaming.extend(() -> called.add("streaming")), "it may be what the first waits for");
        first.add(100 * UNIT);
        assertTrue(first.hasRightOfWay());
        assertFalse(first.canGrow());
        assertEquals(List.of(), called);
        first.streams();
        assertEquals(List.of("second"), called);
        assertTrue(second.hasRightOfWay());
        assertFalse(first.hasRightOfWay());
    }

    /** Honest pushes over slow lines, all under way at once: everyone that may reads 1 KiB in turn. */
    @ParameterizedTest
    @CsvSource({"3000, 12", "4000, 14", "8000, 14"})
    @DisplayName("brings every push to its end that is admitted, however many come at once")
    void crowd(final int pushes, final int kib) {
        final MemoryBudget whole = new MemoryBudget(64L * KIB * KIB);
        final MemoryBudget.Quota port = whole.newQuota();
        final List<SlowPush> underWay = new ArrayList<>();
        for (int i = 0; i < pushes; i++) {
            underWay.add(new SlowPush(port, kib * KIB));
        }
        int rounds = 0;
        while (!underWay.isEmpty()) {
            underWay.removeIf(SlowPush::readSome);
            rounds++;
            assertTrue(rounds <= pushes * kib, underWay.size() + " pushes stand still");
            assertTrue(whole.used() <= whole.limit());
        }
        assertEquals(0, whole.used());
    }

    /** A push that reads as the real one does. Lives on the test's thread. */
    private static final class SlowPush {
        private final MemoryBudget.Account charge;
        private final int size;
        private boolean admitted;
        private int read;

        SlowPush(final MemoryBudget.Quota port, final int size) {
            this.charge = port.open(this, UNIT);
            this.size = size;
            this.admitted = charge.reserve(UNIT, () -> admitted = true);
        }

        /** @return whether it is complete */
        boolean readSome() {
            if (!admitted) {
                return false;
            }
            assertTrue(charge.canGrow());
            charge.add(KIB);
            read += KIB;
            if (read < size) {
                return false;
            }
            charge.settle(0);
            charge.close();
            return true;
        }
    }
}
