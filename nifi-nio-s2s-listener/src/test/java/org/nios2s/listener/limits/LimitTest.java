// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Tests of {@link Limit}. Lives on the test's thread. */
@DisplayName("A limit")
class LimitTest {
    private final List<String> called = new ArrayList<>();

    private Limit.Permit acquire(final Limit limit, final String who) {
        return limit.acquire("peer", () -> called.add(who));
    }

    @Test
    @DisplayName("gives out as many as there are, then calls who waits in order, one for each that comes back")
    void order() {
        final Limit limit = new Limit(3).child(2);
        final Limit.Permit a = acquire(limit, "a");
        final Limit.Permit b = acquire(limit, "b");
        assertTrue(a.isImmediate() && b.isImmediate());
        assertFalse(limit.isContended());
        final Limit.Permit c = acquire(limit, "c");
        final Limit.Permit d = acquire(limit, "d");
        assertFalse(c.isImmediate() || d.isImmediate());
        assertTrue(limit.isContended());
        a.close();
        assertEquals(List.of("c"), called);
        c.close();
        assertEquals(List.of("c", "d"), called);
        b.close();
        d.close();
        assertEquals(0, limit.held());
    }

    @Test
    @DisplayName("takes back what is closed twice only once")
    void once() {
        final Limit limit = new Limit(2).child(2);
        final Limit.Permit permit = acquire(limit, "a");
        acquire(limit, "b");
        permit.close();
        permit.close();
        assertEquals(1, limit.held());
    }

    @Test
    @DisplayName("forgets who leaves the line, and takes back what it was given meanwhile")
    void withdraw() {
        final Limit limit = new Limit(1).child(1);
        final Limit.Permit first = acquire(limit, "a");
        final Limit.Permit leaves = acquire(limit, "leaves");
        final Limit.Permit called = acquire(limit, "called");
        leaves.close();
        first.close();
        assertEquals(List.of("called"), this.called);
        called.close();
        assertEquals(0, limit.held());
        assertTrue(acquire(limit, "next").isImmediate());
    }

    @Test
    @DisplayName("leaves some of the upper one to its neighbours")
    void neighbours() {
        final Limit upper = new Limit(3);
        final Limit busy = upper.child(2);
        final Limit quiet = upper.child(2);
        final Limit.Permit one = acquire(busy, "1");
        final Limit.Permit two = acquire(busy, "2");
        final Limit.Permit three = acquire(busy, "3");
        final Limit.Permit four = acquire(quiet, "4");
        assertTrue(four.isImmediate());
        assertFalse(acquire(quiet, "5").isImmediate());
        assertEquals(List.of(), called);
        one.close();
        assertEquals(List.of("3"), called);
        acquire(busy, "6");
        two.close();
        assertEquals(List.of("3", "5"), called);
        four.close();
        assertEquals(List.of("3", "5", "6"), called);
        three.close();
        assertEquals(1, busy.held());
        assertEquals(1, quiet.held());
    }

    @Test
    @DisplayName("lets nobody pass who waits")
    void noOvertaking() {
        final Limit limit = new Limit(1).child(1);
        assertTrue(acquire(limit, "first").isImmediate());
        acquire(limit, "a");
        assertFalse(acquire(limit, "b").isImmediate());
    }

    @Test
    @DisplayName("is not scarce for its neighbours when the last who waited has left the line")
    void leftLine() {
        final Limit upper = new Limit(2);
        final Limit busy = upper.child(2);
        final Limit quiet = upper.child(2);
        acquire(busy, "1");
        acquire(busy, "2");
        final Limit.Permit leaves = acquire(quiet, "leaves");
        assertTrue(busy.isContended());
        leaves.close();
        assertFalse(busy.isContended());
    }
}
