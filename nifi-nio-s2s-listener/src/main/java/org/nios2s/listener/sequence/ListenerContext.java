// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.nifi.groups.ProcessGroup;
import org.nios2s.listener.FaultLog;
import org.nios2s.listener.HostNames;
import org.nios2s.listener.ListenerSettings;
import org.nios2s.listener.MemoryBudget;
import org.nios2s.listener.Permits;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.port.PortDispatchers;

/**
 * What all connections of a listener share. Immutable; every part of it is thread-safe.
 *
 * @param settings of the listener
 * @param secure whether connections are TLS
 * @param listenPort the port served
 * @param rootGroup where ports are found; may change until the flow is loaded
 * @param budget for buffered data
 * @param streamingPermits for transactions that have outgrown memory
 * @param dispatchers of the ports
 * @param peerList answers who the peers are
 * @param hostNames of peers
 * @param blockingTasks runs what may block: what NiFi's framework decides for us
 * @param contentWorkers read and write contents of FlowFiles that are not held in memory
 * @param metrics counts
 * @param faultLog reports faults of peers
 */
public record ListenerContext(
        ListenerSettings settings,
        boolean secure,
        int listenPort,
        Supplier<ProcessGroup> rootGroup,
        MemoryBudget budget,
        Permits streamingPermits,
        PortDispatchers dispatchers,
        PeerList peerList,
        HostNames hostNames,
        Executor blockingTasks,
        Executor contentWorkers,
        ListenerMetrics metrics,
        FaultLog faultLog) {}
