// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How many connections there may be. Lives on the test's thread. */
class ConnectionLimitTest {
    private InetAddress one;
    private InetAddress other;

    @BeforeEach
    void addresses() throws Exception {
        one = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
        other = InetAddress.getByAddress(new byte[] {10, 0, 0, 2});
    }

    private static void assertRefused(final ConnectionLimit limit, final InetAddress address, final String key) {
        final PeerFault fault = assertThrows(PeerFault.class, () -> limit.add(address));
        assertEquals(PeerFault.Kind.TOO_MANY_CONNECTIONS, fault.kind());
        assertTrue(fault.getMessage().endsWith("raise " + key), fault.getMessage());
    }

    @Test
    @DisplayName("0 is no limit, of neither kind")
    void unlimited() throws Exception {
        final ConnectionLimit noTotal = new ConnectionLimit(0, 1);
        noTotal.add(one);
        noTotal.add(other);
        assertRefused(noTotal, one, "nifi.remote.input.nio.connections.max.per.address");
        final ConnectionLimit noneFromOneAddress = new ConnectionLimit(2, 0);
        noneFromOneAddress.add(one);
        noneFromOneAddress.add(one);
        assertRefused(noneFromOneAddress, one, "nifi.remote.input.nio.connections.max");
    }

    @Test
    @DisplayName("one connection too many is refused and not counted")
    void total() throws Exception {
        final ConnectionLimit limit = new ConnectionLimit(2, 0);
        limit.add(one);
        limit.add(other);
        assertRefused(limit, one, "nifi.remote.input.nio.connections.max");
        assertRefused(limit, one, "nifi.remote.input.nio.connections.max");
        limit.remove(other);
        limit.add(one);
    }

    @Test
    @DisplayName("one connection too many from an address is refused, and others are not")
    void perAddress() throws Exception {
        final ConnectionLimit limit = new ConnectionLimit(3, 1);
        limit.add(one);
        for (int i = 0; i < 10; i++) {
            assertRefused(limit, one, "nifi.remote.input.nio.connections.max.per.address");
        }
        limit.add(other);
        limit.remove(one);
        limit.add(one);
    }
}
