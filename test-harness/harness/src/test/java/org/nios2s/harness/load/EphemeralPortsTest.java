/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.harness.load;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

/** More clients than the machine has ports are refused, with the way to get more. Runs on the test's thread. */
class EphemeralPortsTest {

    private static final String RANGE = "32768\t60999\n";

    @Test
    void tooManyClientsAreToldHowManyPortsThereAre() {
        final IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> EphemeralPorts.check(40_000, RANGE));

        assertEquals(
                "40000 clients need as many ephemeral ports, this machine has about 28132 (32768 to 60999): widen the range"
                        + " with 'sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"', or use fewer --clients",
                refusal.getMessage());
    }

    @Test
    void asManyAsThereArePass() {
        assertDoesNotThrow(() -> EphemeralPorts.check(28_000, RANGE));
    }
}
