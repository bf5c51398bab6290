// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.nifi.groups.ProcessGroup;
import org.nios2s.listener.fault.FaultLog;
import org.nios2s.listener.fault.RefusalLog;
import org.nios2s.listener.limits.ConnectionLimit;
import org.nios2s.listener.limits.HandshakeLimit;
import org.nios2s.listener.limits.Holder;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.RateLimits;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.port.PortRegistry;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.tls.TlsHandlerFactory;

/**
 * Everything that the connections of a listener share, grouped by role. Immutable; every part of it is thread-safe.
 *
 * @param protocol where a connection begins
 * @param drain whether peers are sent elsewhere
 */
public record ListenerContext(
        ListenerSettings settings,
        Step.Protocol protocol,
        Endpoint endpoint,
        Ports ports,
        Limits limits,
        Threads threads,
        Drain drain,
        ListenerMetrics metrics,
        Logs logs,
        NanoClock clock) {
    /**
     * The address to which peers connect, and the names under which we know them. Immutable; any thread.
     *
     * @param tls makes the TLS of connections, or null for plain TCP
     * @param wallClock the time of day, by which TLS dates its sessions
     */
    public record Endpoint(int port, TlsHandlerFactory tls, HostNames hostNames, InstantSource wallClock) {
        /** @return whether connections are TLS */
        public boolean isSecure() {
            return tls != null;
        }
    }

    /**
     * The ports of the flow. Immutable; any thread.
     *
     * @param rootGroup where ports are found; may change until the flow is loaded
     */
    public record Ports(Supplier<ProcessGroup> rootGroup, PortRegistry dispatchers) {}

    /**
     * The bounds of all connections, in addition to those of their ports. Immutable; any thread.
     *
     * @param handshakes connections whose handshake is not over
     * @param rates how fast peers may be
     */
    public record Limits(
            MemoryBudget memory, ConnectionLimit connections, HandshakeLimit handshakes, RateLimits rates) {}

    /** The log and the metrics of peers. Immutable; any thread. */
    public record Logs(FaultLog faults, RefusalLog refusals) {}

    /**
     * The threads for tasks that may block. Immutable; any thread.
     *
     * @param handshakeChecks run what NiFi's framework decides before a request
     * @param authorizations run what NiFi's framework decides for a transaction
     * @param contentReaders read contents of FlowFiles for pulls
     * @param contentWriters write contents of pushes that are not held in memory, in turns of their holders; NiFi may let them wait for a full disk
     * @param inflationWriter writes those that inflate abnormally
     */
    public record Threads(
            Executor handshakeChecks,
            Executor authorizations,
            Executor contentReaders,
            BiConsumer<Holder, Runnable> contentWriters,
            Executor inflationWriter) {}
}
