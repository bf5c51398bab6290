// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Tests of {@link MemoryBudget}. Lives on the test's thread. */
@DisplayName("The memory budget")
class MemoryBudgetTest {
    private static final int UNIT = MemoryBudget.UNIT;
    private static final long LIMIT = 64 * UNIT;

    private final MemoryBudget budget = new MemoryBudget(LIMIT);
    private final MemoryBudget.Share share = budget.share();
    private final List<String> heard = new ArrayList<>();

    private MemoryBudget.Charge charge(final MemoryBudget.Share of, final long bytes) {
        final MemoryBudget.Charge charge = of.open();
        charge.add(bytes);
        return charge;
    }

    private MemoryBudget.Charge await(final MemoryBudget.Charge charge, final String who) {
        return await(charge, who, 0);
    }

    private MemoryBudget.Charge await(final MemoryBudget.Charge charge, final String who, final long unrelieved) {
        charge.await(() -> heard.add(who), () -> heard.add(who + " gives up"), unrelieved);
        return charge;
    }

    @Test
    @DisplayName("counts what each holder has, and gives all of it back with its end, once")
    void counts() {
        final MemoryBudget.Charge charge = charge(share, 100);
        charge.add(-40);
        assertEquals(60, budget.used());
        charge.close();
        charge.close();
        charge.add(1_000);
        assertEquals(0, budget.used());
        assertEquals(100, budget.takeMost());
    }

    @Test
    @DisplayName("leaves the last quarter of a share to small charges")
    void smallAndLarge() {
        final MemoryBudget.Charge large = charge(share, LIMIT / 2 - LIMIT / 8);
        assertFalse(large.hasRoom());
        assertFalse(share.isRoomy());
        final MemoryBudget.Charge small = charge(share, UNIT);
        assertTrue(small.hasRoom());
        charge(share, LIMIT / 8);
        assertFalse(small.hasRoom());
    }

    @Test
    @DisplayName("lets one port use half of it, and gives each port some of its own")
    void shares() {
        charge(share, LIMIT / 2);
        final MemoryBudget.Share neighbour = budget.share();
        assertTrue(neighbour.open().hasRoom());
        charge(neighbour, LIMIT / 2);
        assertFalse(neighbour.open().hasRoom());
        final MemoryBudget.Share third = budget.share();
        assertTrue(third.open().hasRoom());
        charge(third, UNIT);
        assertFalse(third.open().hasRoom());
    }

    @Test
    @DisplayName("calls who waits when there is room, with a unit set aside for each")
    void calls() {
        final MemoryBudget.Charge full = charge(share, LIMIT / 2);
        final MemoryBudget.Charge first = share.open();
        final MemoryBudget.Charge second = share.open();
        await(first, "first");
        await(second, "second");
        assertTrue(share.isScarce());
        full.add(-1);
        assertEquals(List.of("first"), heard);
        full.add(-UNIT);
        assertEquals(List.of("first", "second"), heard);
        assertTrue(first.hasRoom());
        first.add(10);
        second.close();
        first.close();
        full.close();
        assertEquals(0, budget.used());
    }

    @Test
    @DisplayName("forgets who leaves the line")
    void withdraw() {
        final MemoryBudget.Charge full = charge(share, LIMIT);
        final MemoryBudget.Charge leaves = await(share.open(), "leaves");
        await(share.open(), "stays");
        leaves.close();
        full.close();
        assertEquals(List.of("stays"), heard);
    }

    @Test
    @DisplayName("is not held up by those who hold it and wait for more")
    void standstill() {
        final long inAMoment = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        final MemoryBudget.Charge most = charge(share, LIMIT / 4);
        final MemoryBudget.Charge less = charge(share, LIMIT / 4 - UNIT);
        await(most, "most");
        await(less, "less");
        budget.breakStandstills(System.nanoTime());
        assertEquals(List.of(), heard);
        budget.breakStandstills(inAMoment);
        assertEquals(List.of("most gives up"), heard);
        most.close();
        assertEquals(List.of("most gives up", "less"), heard);
    }

    @Test
    @DisplayName("asks as many to give up as leave half of a share to the others, those first that hold most")
    void standstillOfMany() {
        final List<MemoryBudget.Charge> charges = IntStream.rangeClosed(0, 7)
                .mapToObj(i -> charge(share, (i == 0 ? 4 : i) * UNIT))
                .toList();
        charges.forEach(charge -> await(charge, "waiter " + charges.indexOf(charge)));
        budget.breakStandstills(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));
        assertEquals(List.of("waiter 7 gives up", "waiter 6 gives up", "waiter 5 gives up"), heard);
    }

    @Test
    @DisplayName("asks those to give up first who hold what can't be streamed")
    void standstillOfAttributes() {
        final MemoryBudget.Charge attributes = charge(share, 16 * UNIT);
        final MemoryBudget.Charge streams = charge(share, 16 * UNIT);
        await(attributes, "attributes", 16 * UNIT);
        await(streams, "streams");
        budget.breakStandstills(System.nanoTime() + TimeUnit.SECONDS.toNanos(5));
        assertEquals(List.of("attributes gives up"), heard);
    }

    @Test
    @DisplayName("calls who has become small while it waited as one of the small")
    void becomesSmall() {
        final MemoryBudget.Charge full = charge(share, LIMIT / 2);
        final MemoryBudget.Charge shrinks = charge(share, 2 * UNIT);
        await(shrinks, "shrunken");
        full.add(-UNIT);
        assertEquals(List.of(), heard);
        shrinks.add(-2 * UNIT);
        assertEquals(List.of("shrunken"), heard);
    }

    @Test
    @DisplayName("asks nobody to give up where others hold it")
    void noStandstill() {
        charge(share, LIMIT / 2);
        final MemoryBudget.Charge waiting = charge(share, UNIT);
        await(waiting, "waiting");
        budget.breakStandstills(System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
        assertEquals(List.of(), heard);
    }
}
