// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.nifi.groups.ProcessGroup;
import org.nios2s.listener.fault.FaultLog;
import org.nios2s.listener.limits.ConnectionLimit;
import org.nios2s.listener.limits.HandshakeLimit;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.RateLimits;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.port.PortRegistry;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.tls.TlsHandlerFactory;

/**
 * What all connections of a listener share. Immutable; every part of it is thread-safe.
 *
 * @param conversation where a connection begins
 * @param tls makes the TLS of connections, or null for plain TCP
 * @param rootGroup where ports are found; may change until the flow is loaded
 * @param drain whether peers are sent elsewhere
 * @param rates how fast peers may be
 * @param handshakes connections whose handshake is not over
 * @param handshakeChecks runs what NiFi's framework decides before a request, and may block
 * @param authorizations runs what NiFi's framework decides for a transaction, and may block
 * @param contentReaders read contents of FlowFiles for pulls
 * @param contentWriters write contents of pushes that are not held in memory; NiFi may let them wait for a full disk
 * @param inflationWriter writes those that inflate abnormally
 */
public record ListenerContext(
        ListenerSettings settings,
        Step.Protocol conversation,
        TlsHandlerFactory tls,
        int listenPort,
        Supplier<ProcessGroup> rootGroup,
        MemoryBudget budget,
        Drain drain,
        ConnectionLimit connections,
        RateLimits rates,
        HandshakeLimit handshakes,
        PortRegistry dispatchers,
        HostNames hostNames,
        Executor handshakeChecks,
        Executor authorizations,
        Executor contentReaders,
        Executor contentWriters,
        Executor inflationWriter,
        ListenerMetrics metrics,
        FaultLog faultLog) {
    /** @return whether connections are TLS */
    public boolean secure() {
        return tls != null;
    }

    /** @return what makes a connection TLS, if connections are {@link #secure} */
    public SslHandler newTlsHandler(final Channel channel) {
        return tls.create(channel, settings.handshakeTimeout());
    }
}
