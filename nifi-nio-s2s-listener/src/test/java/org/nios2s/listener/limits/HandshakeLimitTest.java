// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Tests of {@link HandshakeLimit}. Lives on the test's thread. */
@DisplayName("A limit of handshakes")
class HandshakeLimitTest {
    private final List<Boolean> accepting = new ArrayList<>();
    private final HandshakeLimit limit = new HandshakeLimit(2);

    @Test
    @DisplayName("stops accepting when it is reached, and goes on when a handshake has ended")
    void pauses() {
        limit.setAcceptor(accepting::add);
        limit.add("one");
        assertEquals(List.of(), accepting);
        limit.add("two");
        limit.add("handed over already");
        assertEquals(List.of(false, false), accepting);
        assertTrue(limit.isFull());
        limit.remove("one");
        limit.remove("one");
        assertEquals(List.of(false, false), accepting);
        limit.remove("two");
        assertEquals(List.of(false, false, true), accepting);
        assertFalse(limit.isFull());
        assertEquals(1, limit.count());
    }
}
