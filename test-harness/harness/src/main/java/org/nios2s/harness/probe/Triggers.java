// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.probe;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.RestClient;

/**
 * How often the processor beside the ports is triggered: while they are idle, and while they are busy. Used on the
 * command's thread.
 */
final class Triggers implements Probe {

    private static final Duration IDLE = Duration.ofSeconds(4);
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final NifiNode nifi;
    private long count;
    private long since;

    Triggers(final NifiNode nifi) {
        this.nifi = nifi;
    }

    @Override
    public void before(final Map<String, Double> metrics) throws InterruptedException {
        begin();
        Thread.sleep(IDLE);
        metrics.put("triggers-idle", perSecond());
        begin();
    }

    @Override
    public void after(final LoadOutcome outcome, final Map<String, Double> metrics) {
        metrics.put("triggers", perSecond());
        begin();
    }

    private void begin() {
        count = triggers();
        since = System.nanoTime();
    }

    private double perSecond() {
        return (triggers() - count) * NANOS_PER_SECOND / (System.nanoTime() - since);
    }

    private long triggers() {
        return RestClient.stream(nifi.rest().get("/counters").requiredAt("/counters/aggregateSnapshot/counters"))
                .filter(counter -> counter.required("name").asText().equals("triggers")
                        && counter.required("context").asText().startsWith("trigger-counter"))
                .findFirst()
                .map(counter -> counter.required("valueCount").asLong())
                .orElse(0L);
    }
}
