// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.each;
import static org.nios2s.client.Outcomes.packet;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.nifi.remote.protocol.HandshakeProperty;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.ScriptedServer.Received;

/** What NiFi is told of how long it is to wait for us, and that it is told of it when it did not. */
class RequestExpirationTest {
    private ScriptedServer server;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private SiteToSite.Builder site() {
        return NioSiteToSite.builder().address("127.0.0.1", server.port());
    }

    private String told(final HandshakeProperty property) {
        return server.handshakes.getLast().get(property);
    }

    @Test
    void aHandlerHasFiveMinutesAndAThousandPacketsUnlessSaidOtherwise() throws Exception {
        try (SiteToSite nifi = site().build()) {
            Outcomes.await(nifi.outputPort("port-id").pull(each(packet -> {})));
            assertEquals("300000", told(HandshakeProperty.REQUEST_EXPIRATION_MILLIS));
            assertEquals("1000", told(HandshakeProperty.BATCH_COUNT));
            Outcomes.await(nifi.outputPort("port-id")
                    .withRequestExpiration(Duration.ofHours(1))
                    .withBatchLimits(BatchLimits.none())
                    .pull(each(packet -> {})));
            assertEquals("3600000", told(HandshakeProperty.REQUEST_EXPIRATION_MILLIS));
            assertEquals(null, told(HandshakeProperty.BATCH_COUNT));
            Outcomes.await(nifi.inputPort("port-id").send(packet("a")));
            assertEquals("30000", told(HandshakeProperty.REQUEST_EXPIRATION_MILLIS));
            Outcomes.await(nifi.inputPort("port-id")
                    .withRequestExpiration(Duration.ofSeconds(50))
                    .send(packet("a")));
            assertEquals("50000", told(HandshakeProperty.REQUEST_EXPIRATION_MILLIS));
        }
    }

    @Test
    void theBuilderSaysItForBothDirectionsAndForEverFitsToo() throws Exception {
        try (SiteToSite nifi =
                site().requestExpiration(Duration.ofSeconds(Long.MAX_VALUE)).build()) {
            Outcomes.await(nifi.outputPort("port-id")
                    .withBatchLimits(BatchLimits.none().withMaxDuration(Duration.ofSeconds(Long.MAX_VALUE)))
                    .pull(each(packet -> {})));
            assertEquals("" + Integer.MAX_VALUE, told(HandshakeProperty.REQUEST_EXPIRATION_MILLIS));
            Outcomes.await(nifi.inputPort("port-id").send(packet("a")));
            assertEquals("" + Integer.MAX_VALUE, told(HandshakeProperty.REQUEST_EXPIRATION_MILLIS));
        }
    }

    @Test
    void aHandlerThatTakesLongerThanNiFiWaitsIsToldSo() throws Exception {
        server.offered.add(new Received(Map.of(), new byte[1]));
        server.at(Moment.FIRST_PACKET, wire -> {
            wire.say(ResponseCode.MORE_DATA);
            wire.out.writeInt(0);
            wire.out.writeLong(0);
            wire.say(ResponseCode.FINISH_TRANSACTION);
            // NiFi's read time-out is the expiration that it was told.
            Thread.sleep(Long.parseLong(told(HandshakeProperty.REQUEST_EXPIRATION_MILLIS)));
            throw new IOException("expired");
        });
        try (SiteToSite nifi = site().build()) {
            final TransactionException failure = Outcomes.assertFails(
                    nifi.outputPort("port-id")
                            .withRequestExpiration(Duration.ofMillis(200))
                            .pull(each(packet -> new CountDownLatch(1).await())),
                    TransactionStep.RECEIVE_PACKETS,
                    FailureReason.HANDLER_TOO_SLOW);
            assertTrue(failure.getMessage().contains("Raise requestExpiration"), failure.getMessage());
            await().until(() -> nifi.statistics().connections() == 0);
        }
    }

    @Test
    void aPeerThatLeavesEarlierJustLeft() throws Exception {
        server.offered.add(new Received(Map.of(), new byte[1]));
        final CountDownLatch handling = new CountDownLatch(1);
        server.at(Moment.FIRST_PACKET, wire -> {
            wire.say(ResponseCode.MORE_DATA);
            wire.out.writeInt(0);
            wire.out.writeLong(0);
            wire.say(ResponseCode.FINISH_TRANSACTION);
            handling.await();
            throw new IOException("leaves");
        });
        try (SiteToSite nifi = site().build()) {
            Outcomes.assertFails(
                    nifi.outputPort("port-id").pull(each(packet -> {
                        handling.countDown();
                        new CountDownLatch(1).await();
                    })),
                    TransactionStep.RECEIVE_PACKETS,
                    FailureReason.CONNECTION_LOST);
        }
    }
}
