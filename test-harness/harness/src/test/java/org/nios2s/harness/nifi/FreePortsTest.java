// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.HarnessException;

/**
 * The choice of ports.
 * On the test's thread.
 */
class FreePortsTest {

    @Test
    void anyPortIsFree() {
        assertTrue(FreePorts.isFree(FreePorts.settle(NifiOptions.ANY_PORT, "test")));
    }

    @Test
    void noPortIsGivenTwice() {
        final int ports = 500;

        assertEquals(
                ports,
                IntStream.range(0, ports).map(i -> FreePorts.any()).distinct().count());
    }

    @Test
    void aFreePortIsTakenAsWished() {
        final int port = FreePorts.any();

        assertEquals(port, FreePorts.settle(port, "test"));
    }

    @Test
    void aPortThatOnlyLoopbackListensOnIsInUse() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            final int port = other.getLocalPort();

            assertFalse(FreePorts.isFree(port));
            final HarnessException refusal =
                    assertThrows(HarnessException.class, () -> FreePorts.settle(port, "REST API"));
            assertTrue(refusal.getMessage().contains(port + " (REST API) is in use"), refusal.getMessage());
        }
    }
}
