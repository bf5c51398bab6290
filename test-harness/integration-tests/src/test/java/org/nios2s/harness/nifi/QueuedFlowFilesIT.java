// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.nios2s.integration.SharedNifi;

/**
 * What a NiFi says is still on its way in its flow, by which the harness knows that a run's last packets may be late.
 * Runs on the thread of the tests.
 */
@ResourceLock(SharedNifi.Lock.STOCK)
class QueuedFlowFilesIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PERIOD = Duration.ofMillis(100);

    @Test
    void flowFilesCountUntilAComponentHasTakenThem() {
        final FlowClient flow = SharedNifi.STOCK.get().flow();
        final long others = flow.queuedFlowFiles();
        final Component source = flow.createProcessor("on-its-way", "org.nios2s.harness.sink.StampedSource");
        final Component sink = flow.createProcessor("taken", "org.nios2s.harness.sink.ArrivalLog");
        flow.setSchedulingPeriod(source, PERIOD);
        flow.setProperties(sink, Map.of("File", "./ledger/taken.txt"));
        final Component queue = flow.connect(source, sink, BackPressure.generous());
        try {
            flow.start(source);
            Awaitility.await().atMost(PATIENCE).until(() -> flow.queuedFlowFiles() > others);
            flow.stop(source);
            flow.start(sink);
            Awaitility.await().atMost(PATIENCE).until(() -> flow.queuedFlowFiles() == others);
        } finally {
            flow.stop(source);
            flow.stop(sink);
            flow.delete(queue);
            flow.delete(source);
            flow.delete(sink);
        }
    }
}
