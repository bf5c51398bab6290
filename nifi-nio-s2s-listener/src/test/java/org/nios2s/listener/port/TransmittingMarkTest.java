// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What NiFi's canvas shows of a port. Lives on the test's thread. */
class TransmittingMarkTest {
    private static void show(final TransmittingMark mark) {
        mark.show(new SocketlessCommunicationsSession(null, () -> {}));
    }

    @Test
    @DisplayName("a port that its last peer has left is not shown as transmitting by a sweep that began before")
    void closed() {
        try (RecordingPort port = new RecordingPort(1)) {
            final TransmittingMark mark = new TransmittingMark(port.port());
            show(mark);
            assertTrue(port.port().isTransmitting());
            mark.close();
            show(mark);
            assertFalse(port.port().isTransmitting());
        }
    }
}
