// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
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

    private final MemoryBudget budget = new MemoryBudget(LIMIT, () -> 0);

    private static Holder peer(final String name) {
        return new TestHolder(name);
    }

    @Test
    @DisplayName("lets one port use half of it, and gives each port some of its own")
    void ports() {
        final List<SharedResource.Part> ports = List.of(budget.newPart(), budget.newPart(), budget.newPart());
        final List<Integer> granted = ports.stream()
                .map(port -> (int) IntStream.range(0, 64)
                        .filter(i -> port.request(peer("p"), UNIT, 0, () -> {}).isImmediate())
                        .count())
                .toList();
        assertEquals(List.of(32, 30, 1), granted);
        assertTrue(budget.used() <= budget.limit());
    }

    @Test
    @DisplayName("has one packet at a time take the memory for large attributes, and stays within its bound")
    void largeAttributes() {
        final List<String> called = new ArrayList<>();
        final SharedResource.Grant first = budget.requestAttributes(peer("a"), () -> called.add("a"));
        final SharedResource.Grant second = budget.requestAttributes(peer("b"), () -> called.add("b"));
        assertTrue(first.isImmediate());
        assertFalse(second.isImmediate());
        assertTrue(budget.used() <= budget.bound(0));
        first.close();
        assertEquals(List.of("b"), called);
        second.close();
        assertEquals(0, budget.used());
    }

    /** Honest pushes over slow lines, all under way at once: everyone that may reads 1 KiB in turn. */
    @ParameterizedTest
    @CsvSource({"3000, 12", "4000, 14", "8000, 14"})
    @DisplayName("brings every push to its end that is admitted, however many come at once")
    void crowd(final int pushes, final int kib) {
        final MemoryBudget whole = new MemoryBudget(64L * KIB * KIB, () -> 0);
        final SharedResource.Part port = whole.newPart();
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
        private final SharedResource.Grant charge;
        private final int size;
        private boolean admitted;
        private int read;

        SlowPush(final SharedResource.Part port, final int size) {
            this.charge = port.request(peer("peer " + System.identityHashCode(this)), UNIT, 0, () -> admitted = true);
            this.size = size;
            this.admitted = charge.isImmediate();
        }

        /** @return whether it is complete */
        boolean readSome() {
            if (!admitted) {
                return false;
            }
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
