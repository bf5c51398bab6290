// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.BatchingSender;
import org.nios2s.client.Packet;
import org.nios2s.client.SiteToSite;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.integration.OwnNifi;
import org.nios2s.integration.SharedNifi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A batching sender as it is by default, and a loop that fills transactions by hand with NiFi's own client, by turns, on a NiFi
 * with our listener: all records are acknowledged, and the log has the records per second. Lives on the test's thread.
 *
 * <p>{@code -Dbatching.records=1000000 -Djvm.options=} measures; standard is a short form of it.
 */
@Tag("full")
class BatchingAgainstLoopIT {
    private static final Logger logger = LoggerFactory.getLogger(BatchingAgainstLoopIT.class);

    private static final int RECORDS = Integer.getInteger("batching.records", 20_000);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int CONTENT_BYTES = 100;
    private static final int RECORDS_OF_A_TRANSACTION = 500;

    private static NifiNode nifi;

    @BeforeAll
    static void start() {
        nifi = NifiNode.start(OwnNifi.options(SharedNifi.HOMES.resolve("batching-loop")));
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.close();
        }
    }

    @Test
    void bothOrders() throws Exception {
        batching("warm-up");
        loop("warm-up");
        batching("first");
        loop("second");
        loop("first");
        batching("second");
    }

    private static String url() {
        return nifi.info().api().replace("/nifi-api", "/nifi");
    }

    private static Map<String, String> attributes(final int number) {
        return Map.of("number", Integer.toString(number));
    }

    private static void batching(final String turn) throws Exception {
        final LongAdder acknowledged = new LongAdder();
        final long begunNanos = System.nanoTime();
        try (SiteToSite site = SiteToSite.builder().url(url()).build();
                BatchingSender sender = site.inputPort("input").batching(BatchingOptions.standard())) {
            for (int i = 0; i < RECORDS; i++) {
                sender.send(Packet.of(attributes(i), new byte[CONTENT_BYTES])).whenComplete((result, failure) -> {
                    if (failure == null) {
                        acknowledged.increment();
                    }
                });
            }
            sender.flush().join();
            say("batching, " + turn, System.nanoTime() - begunNanos);
        }
        Awaitility.await().atMost(PATIENCE).until(() -> acknowledged.sum() == RECORDS);
    }

    private static void loop(final String turn) throws Exception {
        final long begunNanos = System.nanoTime();
        try (SiteToSiteClient client = new SiteToSiteClient.Builder()
                .url(url())
                .portName("input")
                .transportProtocol(SiteToSiteTransportProtocol.RAW)
                .build()) {
            for (int sent = 0; sent < RECORDS; sent += RECORDS_OF_A_TRANSACTION) {
                final Transaction transaction = client.createTransaction(TransferDirection.SEND);
                for (int i = sent; i < Math.min(RECORDS, sent + RECORDS_OF_A_TRANSACTION); i++) {
                    transaction.send(new byte[CONTENT_BYTES], attributes(i));
                }
                transaction.confirm();
                transaction.complete();
            }
            say("loop, " + turn, System.nanoTime() - begunNanos);
        }
    }

    private static void say(final String what, final long nanos) {
        logger.info("{}: {} records/s", what, RECORDS * TimeUnit.SECONDS.toNanos(1) / nanos);
    }
}
