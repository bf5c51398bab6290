// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The memory of all connections together. Lives on the test's thread. */
class MemoryBudgetTest {
    private static final long ROOM_PER_WAITER = 64 * 1024;
    private static final long LIMIT = 4 * ROOM_PER_WAITER;

    private final MemoryBudget budget = new MemoryBudget(LIMIT);
    private final List<String> woken = new ArrayList<>();

    @Test
    @DisplayName("a charge succeeds beyond the limit too, and then the budget is exhausted")
    void charge() {
        assertEquals(LIMIT, budget.limit());
        assertFalse(budget.isExhausted());
        budget.charge(LIMIT - 1);
        assertFalse(budget.isExhausted());
        budget.charge(1);
        assertTrue(budget.isExhausted());
        budget.charge(1000);
        assertEquals(LIMIT + 1000, budget.used());
        budget.release(LIMIT + 1000);
        assertEquals(0, budget.used());
    }

    @Test
    @DisplayName("those who wait are woken in the order in which they came, as many as there is room for")
    void order() {
        budget.charge(LIMIT);
        for (final String name : List.of("first", "second", "third")) {
            budget.awaitRoom(() -> woken.add(name));
        }
        assertEquals(List.of(), woken);
        budget.release(2 * ROOM_PER_WAITER);
        assertEquals(List.of("first", "second"), woken);
        budget.release(1);
        assertEquals(List.of("first", "second", "third"), woken);
        budget.release(LIMIT / 4);
        assertEquals(3, woken.size());
    }

    @Test
    @DisplayName("nobody is woken while the budget is still exceeded")
    void stillExceeded() {
        budget.charge(LIMIT + 100);
        budget.awaitRoom(() -> woken.add("waiter"));
        budget.release(100);
        assertEquals(List.of(), woken);
        budget.release(1);
        assertEquals(List.of("waiter"), woken);
    }

    @Test
    @DisplayName("whoever comes when there is room again is woken at once")
    void roomAlready() {
        budget.awaitRoom(() -> woken.add("late"));
        assertEquals(List.of("late"), woken);
    }

    @Test
    @DisplayName("the most that was held is remembered until it is asked for")
    void most() {
        budget.charge(1000);
        budget.release(900);
        assertEquals(1000, budget.takeMost());
        assertEquals(100, budget.takeMost());
    }
}
