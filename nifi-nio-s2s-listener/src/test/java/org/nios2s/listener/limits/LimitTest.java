// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Tests of {@link Limit}. Lives on the test's thread. */
@DisplayName("A limit")
class LimitTest {
    private final List<String> called = new ArrayList<>();

    private Limit.Waiter ask(final Limit limit, final String who) {
        return limit.acquireOrAwait(() -> called.add(who));
    }

    @Test
    @DisplayName("gives out as many as there are, then calls who waits in order, one for each that comes back")
    void order() {
        final Limit limit = new Limit(3).below(2);
        assertNull(ask(limit, "a"));
        assertNull(ask(limit, "b"));
        assertFalse(limit.isScarce());
        assertNotNull(ask(limit, "c"));
        assertNotNull(ask(limit, "d"));
        assertTrue(limit.isScarce());
        limit.release();
        assertEquals(List.of("c"), called);
        limit.release();
        assertEquals(List.of("c", "d"), called);
        limit.release();
        limit.release();
        assertEquals(0, limit.held());
    }

    @Test
    @DisplayName("forgets who leaves the line, and takes back what it was given meanwhile")
    void withdraw() {
        final Limit limit = new Limit(1).below(1);
        assertNull(ask(limit, "a"));
        final Limit.Waiter leaves = ask(limit, "leaves");
        final Limit.Waiter called = ask(limit, "called");
        leaves.withdraw();
        limit.release();
        assertEquals(List.of("called"), this.called);
        called.withdraw();
        assertEquals(0, limit.held());
        assertNull(ask(limit, "next"));
    }

    @Test
    @DisplayName("leaves some of the upper one to its neighbours")
    void neighbours() {
        final Limit upper = new Limit(3);
        final Limit busy = upper.below(2);
        final Limit quiet = upper.below(2);
        ask(busy, "1");
        ask(busy, "2");
        ask(busy, "3");
        assertNull(ask(quiet, "4"));
        assertNotNull(ask(quiet, "5"));
        assertEquals(List.of(), called);
        busy.release();
        assertEquals(List.of("3"), called);
        ask(busy, "6");
        busy.release();
        assertEquals(List.of("3", "5"), called);
        quiet.release();
        assertEquals(List.of("3", "5", "6"), called);
        busy.release();
        assertEquals(1, busy.held());
        assertEquals(1, quiet.held());
    }

    @Test
    @DisplayName("lets nobody pass who waits")
    void noOvertaking() {
        final Limit limit = new Limit(1).below(1);
        assertNull(ask(limit, "first"));
        ask(limit, "a");
        assertNotNull(ask(limit, "b"));
    }
}
