// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** More clients than the machine has ports are refused, with the way to get more. Runs on the test's thread. */
class MachineLimitsTest {

    private static final String RANGE = "32768\t60999\n";

    @Test
    void tooManyClientsAreToldHowManyPortsThereAre() {
        final IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> MachineLimits.checkPorts(40_000, RANGE));

        assertEquals(
                "40000 clients need as many ephemeral ports, this machine has about 28132 (32768 to 60999): widen the range"
                        + " with 'sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"', or use fewer --clients",
                refusal.getMessage());
    }

    @Test
    void asManyAsThereArePass() {
        assertDoesNotThrow(() -> MachineLimits.checkPorts(28_000, RANGE));
    }
}
