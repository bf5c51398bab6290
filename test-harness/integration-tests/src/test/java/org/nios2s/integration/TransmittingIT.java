// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/**
 * What NiFi's canvas shows of a port while a transfer is under way there.
 * Runs on the thread of the tests against the shared NiFi.
 */
@ResourceLock(SharedNifi.Lock.NIO)
class TransmittingIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final byte[] CONTENT = new byte[100];

    private final NifiNode nifi = SharedNifi.NIO.get();
    private final Component port = SharedNifi.inputPort(nifi, "input");

    private void awaitTransmitting(final boolean expected) {
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.flow()
                                .describe(port)
                                .requiredAt("/status/transmitting")
                                .asBoolean()
                        == expected);
    }

    @Test
    void aPortIsTransmittingAsLongAsAPushIsUnderWay() throws IOException {
        awaitTransmitting(false);
        try (TestPeer peer = Peers.atPort(nifi, port.id())) {
            peer.push();
            final byte[] packet = Message.packet(CONTENT);
            final int half = packet.length / 2;
            peer.say(Arrays.copyOf(packet, half));

            awaitTransmitting(true);

            peer.say(Arrays.copyOfRange(packet, half, packet.length));
            assertEquals(ResponseCode.TRANSACTION_FINISHED, peer.finishPush());
            awaitTransmitting(false);
        }
    }
}
