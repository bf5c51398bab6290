// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import java.util.EnumMap;
import java.util.Map;
import org.apache.nifi.util.FormatUtils;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.metrics.ListenerMetrics.Count;
import org.nios2s.listener.metrics.ListenerMetrics.Measure;
import org.nios2s.listener.port.PortDispatchers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once a minute, at INFO, what the listener did since the last time; nothing if it did nothing. Lives on an IO worker. */
record Summary(ListenerMetrics metrics, MemoryBudget budget, PortDispatchers dispatchers, Map<Count, Long> last) {
    private static final Logger logger = LoggerFactory.getLogger(Summary.class);

    void report() {
        final long delay = Math.round(metrics.most(Measure.WORKER_DELAY_MS));
        metrics.nextMinute();
        final Map<Count, Long> more = new EnumMap<>(Count.class);
        for (final Count count : Count.values()) {
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
                more.get(Count.PUSHES_COMMITTED),
                more.get(Count.FLOW_FILES_RECEIVED),
                FormatUtils.formatDataSize(more.get(Count.BYTES_RECEIVED)),
                more.get(Count.COMMITS),
                more.get(Count.PULLS_COMMITTED),
                more.get(Count.FLOW_FILES_SENT),
                FormatUtils.formatDataSize(more.get(Count.BYTES_SENT)),
                more.get(Count.CONNECTIONS_ACCEPTED),
                more.get(Count.FAULTS),
                metrics.open(),
                dispatchers.waiting(),
                FormatUtils.formatDataSize(budget.used()),
                FormatUtils.formatDataSize(budget.limit()),
                FormatUtils.formatDataSize(budget.takeMost()),
                delay);
        if (more.get(Count.PUSHES_INFLATED_ABNORMALLY) > 0) {
            logger.info(
                    "{} pushes inflated to more than 20 times what was sent: one thread writes their contents, and rests while"
                            + " small pushes crowd",
                    more.get(Count.PUSHES_INFLATED_ABNORMALLY));
        }
    }
}
