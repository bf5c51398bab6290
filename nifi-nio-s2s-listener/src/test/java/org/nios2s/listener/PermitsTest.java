// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A limited number of permits. Lives on the test's thread. */
class PermitsTest {
    private final Permits permits = new Permits(1);
    private final List<String> granted = new ArrayList<>();

    @Test
    @DisplayName("a permit that is given back goes to the one who has waited longest")
    void order() {
        assertTrue(permits.acquireOrAwait(() -> granted.add("never")));
        assertFalse(permits.acquireOrAwait(() -> granted.add("first")));
        assertFalse(permits.acquireOrAwait(() -> granted.add("second")));
        permits.release();
        assertEquals(List.of("first"), granted);
        permits.release();
        assertEquals(List.of("first", "second"), granted);
        permits.release();
        assertTrue(permits.acquireOrAwait(() -> granted.add("never")));
        assertEquals(2, granted.size());
    }

    @Test
    @DisplayName("whoever asks no longer is passed over, and learns if it is too late for that")
    void withdrawal() {
        permits.acquireOrAwait(() -> granted.add("never"));
        final Runnable impatient = () -> granted.add("impatient");
        final Runnable patient = () -> granted.add("patient");
        assertFalse(permits.acquireOrAwait(impatient));
        assertFalse(permits.acquireOrAwait(patient));
        assertTrue(permits.withdraw(impatient));
        permits.release();
        assertEquals(List.of("patient"), granted);
        assertFalse(permits.withdraw(patient));
    }
}
