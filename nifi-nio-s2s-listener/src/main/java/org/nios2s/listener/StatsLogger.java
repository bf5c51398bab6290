// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import java.util.EnumMap;
import java.util.Map;
import org.apache.nifi.util.FormatUtils;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.port.PortRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once a minute, at INFO, what the listener did since the last time; nothing if it did nothing. Lives on an IO worker. */
record StatsLogger(ListenerMetrics metrics, MemoryBudget budget, PortRegistry ports, Map<Counter, Long> last) {
    private static final Logger logger = LoggerFactory.getLogger(StatsLogger.class);

    void log() {
        final long delay = Math.round(metrics.maxOfThisMinute(Histogram.WORKER_DELAY_MS));
        metrics.startNextMinute();
        final Map<Counter, Long> more = new EnumMap<>(Counter.class);
        for (final Counter count : Counter.values()) {
            final long now = metrics.get(count);
            final Long before = last.put(count, now);
            more.put(count, before == null ? now : now - before);
        }
        if (more.values().stream().allMatch(count -> count == 0)) {
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
                delay);
        if (more.get(Counter.PUSHES_INFLATED_ABNORMALLY) > 0) {
            logger.info(
                    "{} pushes inflated to more than 20 times what was sent: one thread writes their contents, and rests while"
                            + " small pushes crowd",
                    more.get(Counter.PUSHES_INFLATED_ABNORMALLY));
        }
    }
}
