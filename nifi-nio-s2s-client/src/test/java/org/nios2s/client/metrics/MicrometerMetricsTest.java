// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.metrics;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nios2s.client.Direction;
import org.nios2s.client.FailureReason;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.Outcomes;
import org.nios2s.client.Packet;
import org.nios2s.client.RetryPolicy;
import org.nios2s.client.ScriptedServer;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;

/** What a registry has of transactions that succeed, that fail, and that are under way. Lives on the test's thread. */
class MicrometerMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double counter(final String name, final String... tags) {
        return registry.get("nifi.s2s.client." + name).tags(tags).counter().count();
    }

    private double gauge(final String name) {
        return registry.get("nifi.s2s.client." + name).gauge().value();
    }

    @Test
    void attemptsThatAreFollowedByOthersAreCounted() {
        final TransactionException failure = TransactionException.builder(
                        TransactionStep.CONFIRM, FailureReason.CONNECTION_LOST)
                .port("in")
                .build();
        new MicrometerMetrics(registry, Tags.empty()).retrying(Direction.SEND, failure, 1, Duration.ZERO);
        assertEquals(1, counter("attempts.retried", "reason", "connection_lost", "port", "in"));
    }

    @Test
    void transactionsAreCountedAndTimedAndShown() throws Exception {
        final MicrometerMetrics metrics = new MicrometerMetrics(registry, Tags.of("client", "a"));
        try (ScriptedServer server = new ScriptedServer();
                SiteToSite nifi = NioSiteToSite.builder()
                        .address("127.0.0.1", server.port())
                        .retry(RetryPolicy.never())
                        .observer(metrics)
                        .build()) {
            metrics.gauges(nifi);
            Outcomes.await(nifi.inputPort("in").send(Packet.of(Map.of(), new byte[5])));
            assertEquals(1, counter("packets", "client", "a", "direction", "send", "port", "in"));
            assertEquals(5, counter("bytes", "port", "in"));
            assertEquals(1, registry.get("nifi.s2s.client.transactions").timer().count());
            await().until(() -> gauge("connections.idle") == 1);
            assertEquals(0, gauge("bytes.pending"));
            server.at(Moment.CONFIRM, ScriptedServer.hangUp());
            assertEquals(
                    FailureReason.CONNECTION_LOST,
                    Outcomes.failureOf(nifi.inputPort("in").send(Packet.of(Map.of(), new byte[5])))
                            .reason());
            assertEquals(1, counter("transactions.failed", "reason", "connection_lost", "port", "in"));
        }
    }
}
