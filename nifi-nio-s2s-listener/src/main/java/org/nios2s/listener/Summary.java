// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import java.util.concurrent.TimeUnit;
import org.apache.nifi.util.FormatUtils;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.port.PortDispatchers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once a minute, at INFO, what the listener did since the last time; nothing if it did nothing. Lives on an IO worker. */
public final class Summary {
    private static final Logger logger = LoggerFactory.getLogger(Summary.class);

    private final ListenerMetrics metrics;
    private final MemoryBudget budget;
    private final PortDispatchers dispatchers;
    private ListenerMetrics.Snapshot last;

    public Summary(final ListenerMetrics metrics, final MemoryBudget budget, final PortDispatchers dispatchers) {
        this.metrics = metrics;
        this.budget = budget;
        this.dispatchers = dispatchers;
        this.last = metrics.snapshot();
    }

    /** Writes the line. */
    public void report() {
        final ListenerMetrics.Snapshot now = metrics.snapshot();
        if (now.equals(last)) {
            return;
        }
        logger.info(
                "Site-to-Site since the last summary: received {} transactions with {} FlowFiles ({}) in {} commits, sent"
                        + " {} transactions with {} FlowFiles ({}), {} connections accepted, {} closed for a fault; now {} connections open, {} transactions waiting, {} of {} buffered, at most {};"
                        + " IO workers at most {} ms late",
                now.transactions() - last.transactions(),
                now.flowFiles() - last.flowFiles(),
                FormatUtils.formatDataSize(now.bytes() - last.bytes()),
                now.commits() - last.commits(),
                now.pulls() - last.pulls(),
                now.flowFilesSent() - last.flowFilesSent(),
                FormatUtils.formatDataSize(now.bytesSent() - last.bytesSent()),
                now.accepted() - last.accepted(),
                now.faults() - last.faults(),
                now.open(),
                dispatchers.waiting(),
                FormatUtils.formatDataSize(budget.used()),
                FormatUtils.formatDataSize(budget.limit()),
                FormatUtils.formatDataSize(budget.takeMost()),
                TimeUnit.NANOSECONDS.toMillis(metrics.takeLongestWorkerDelay()));
        last = now;
    }
}
