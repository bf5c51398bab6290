// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import java.util.EnumMap;
import java.util.Map;
import org.apache.nifi.util.FormatUtils;
import org.nios2s.listener.fault.RefusalLog;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.port.PortRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once a minute, at INFO, what the listener did in that minute; nothing if it did nothing. Lives on an IO worker.
 */
final class StatsLogger {
    private static final Logger logger = LoggerFactory.getLogger(StatsLogger.class);

    private final ListenerMetrics metrics;
    private final MemoryBudget budget;
    private final PortRegistry ports;
    private final RefusalLog refusals;
    private final Map<Counter, Long> last = new EnumMap<>(Counter.class);

    StatsLogger(
            final ListenerMetrics metrics,
            final MemoryBudget budget,
            final PortRegistry ports,
            final RefusalLog refusals) {
        this.metrics = metrics;
        this.budget = budget;
        this.ports = ports;
        this.refusals = refusals;
    }

    void log() {
        refusals.logSummary();
        final long workerDelayMillis = Math.round(metrics.maxOfThisMinute(Histogram.WORKER_DELAY_MS));
        metrics.startNextMinute();
        final Map<Counter, Long> more = increases();
        if (more.values().stream().allMatch(increase -> increase == 0)) {
            return;
        }
        logger.info(
                "Site-to-Site since the last summary: received {} transactions with {} FlowFiles ({}) in {} commits, sent"
                        + " {} transactions with {} FlowFiles ({}), {} connections accepted, {} closed for a fault; now {} connections open, {} transactions waiting, {} of {} buffered, at most {};"
                        + " IO workers at most {} ms late",
                more.get(Counter.PUSHES_COMMITTED),
                more.get(Counter.FLOW_FILES_RECEIVED),
                FormatUtils.formatDataSize(more.get(Counter.BYTES_RECEIVED)),
                more.get(Counter.COMMITS),
                more.get(Counter.PULLS_COMMITTED),
                more.get(Counter.FLOW_FILES_SENT),
                FormatUtils.formatDataSize(more.get(Counter.BYTES_SENT)),
                more.get(Counter.CONNECTIONS_ACCEPTED),
                more.get(Counter.FAULTS),
                metrics.openConnections(),
                ports.waiting(),
                FormatUtils.formatDataSize(budget.used()),
                FormatUtils.formatDataSize(budget.limit()),
                FormatUtils.formatDataSize(budget.peakSinceLastCall()),
                workerDelayMillis);
        if (more.get(Counter.FLOW_FILES_ABSORBED) > 0) {
            logger.info(
                    "{} packets came a second time whose first transmission was committed and could not be answered; they were answered"
                            + " as committed, and not stored again. {} packets are still in doubt",
                    more.get(Counter.FLOW_FILES_ABSORBED),
                    ports.inDoubt());
        }
        if (more.get(Counter.PUSHES_INFLATED_ABNORMALLY) > 0) {
            logger.info(
                    "{} pushes inflated to more than 20 times their compressed size. One thread writes their contents, and pauses"
                            + " while the listener is busy. If the data is legitimate, let its senders send it without compression",
                    more.get(Counter.PUSHES_INFLATED_ABNORMALLY));
        }
    }

    /** @return how much each counter has grown since the last call */
    private Map<Counter, Long> increases() {
        final Map<Counter, Long> increases = new EnumMap<>(Counter.class);
        for (final Counter counter : Counter.values()) {
            final long now = metrics.get(counter);
            increases.put(counter, now - last.getOrDefault(counter, 0L));
            last.put(counter, now);
        }
        return increases;
    }
}
