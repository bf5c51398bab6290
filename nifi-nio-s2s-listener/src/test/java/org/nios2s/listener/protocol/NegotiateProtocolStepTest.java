// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.apache.nifi.remote.StandardVersionNegotiator;
import org.apache.nifi.remote.protocol.socket.SocketFlowFileServerProtocol;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which versions of the protocol are served. Lives on the test's thread. */
class NegotiateProtocolStepTest {
    @Test
    @DisplayName("all that this NiFi's own listener serves")
    void sameAsNifi() {
        assertEquals(
                new SocketFlowFileServerProtocol().getVersionNegotiator().getSupportedVersions(),
                NegotiateProtocolStep.servedOf(new SocketFlowFileServerProtocol().getVersionNegotiator())
                        .getSupportedVersions());
    }

    @Test
    @DisplayName("none that another NiFi has given up, and none that is not known here")
    void otherNifi() {
        assertEquals(
                List.of(6, 5),
                NegotiateProtocolStep.servedOf(new StandardVersionNegotiator(8, 7, 6, 5))
                        .getSupportedVersions());
    }
}
