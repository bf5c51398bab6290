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
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
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
