// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.harness.nifi.BackPressure;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.FlowClient;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.RemoteGroupClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * FlowFiles on their way from one NiFi's processor through its Remote Process Group into a queue of another NiFi, a few each
 * second: all arrive.
 * For one thread. The log says how long each was on its way; {@code -Dnifi-to-nifi.flowfiles=150} measures.
 */
@ResourceLock(SharedNifi.Lock.NIO)
@ResourceLock(SharedNifi.Lock.STOCK)
class NifiToNifiIT {

    private static final Logger logger = LoggerFactory.getLogger(NifiToNifiIT.class);
    private static final int FLOW_FILES = Integer.getInteger("nifi-to-nifi.flowfiles", 20);
    /** The first ones find connections, and a JVM, that are cold. */
    private static final int WARM_UP = FLOW_FILES / 4;

    private static final Duration PERIOD = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String PORT = "arrival";
    private static final String LOG = "arrivals.txt";

    @Test
    void whatOneNifiMakesArrivesInTheOther() throws IOException {
        send(SharedNifi.STOCK.get(), SharedNifi.NIO.get());
    }

    @Test
    @Tag("full")
    void theStockListenerForComparison() throws IOException {
        send(SharedNifi.NIO.get(), SharedNifi.STOCK.get());
    }

    private static void send(final NifiNode from, final NifiNode to) throws IOException {
        final FlowClient flow = to.flow();
        final Component port = flow.ensurePort(ComponentKind.INPUT_PORT, PORT, 1);
        final Component arrivals = flow.createProcessor("arrivals", "org.nios2s.harness.sink.ArrivalLog");
        flow.setProperties(arrivals, Map.of("File", "./ledger/" + LOG));
        flow.connect(port, arrivals, BackPressure.generous());
        flow.start(arrivals);
        flow.start(port);

        final FlowClient sending = from.flow();
        final Component source = sending.createProcessor("stamped", "org.nios2s.harness.sink.StampedSource");
        sending.setSchedulingPeriod(source, PERIOD);
        final RemoteGroupClient groups = new RemoteGroupClient(from.rest());
        final String group = groups.create(to.info());
        groups.connect(source, groups.port(group, ComponentKind.INPUT_PORT, PORT), BackPressure.generous());
        groups.setTransmitting(group, true);
        sending.start(source);
        final Path log = Path.of(to.info().files().ledger(), LOG);
        try {
            Awaitility.await().atMost(PATIENCE).until(() -> lines(log) >= WARM_UP + FLOW_FILES);
        } finally {
            sending.stop(source);
            groups.setTransmitting(group, false);
            flow.stop(port);
            flow.stop(arrivals);
        }

        final Times times = new Times();
        Files.readAllLines(log, US_ASCII).stream()
                .skip(WARM_UP)
                .map(Long::valueOf)
                .forEach(times::add);
        logger.info(
                "From the {} NiFi to the one with the {} listener: {}",
                from.info().listener(),
                to.info().listener(),
                times);
    }

    private static long lines(final Path log) throws IOException {
        if (!Files.exists(log)) {
            return 0;
        }
        return Files.readAllLines(log, US_ASCII).size();
    }
}
