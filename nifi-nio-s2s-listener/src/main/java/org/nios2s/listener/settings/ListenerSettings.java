// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.limits.RateRule;
import org.nios2s.listener.tls.TlsHandlerFactory.Provider;

/**
 * Every setting of the listener, read once from {@code nifi.properties}. The one home of names, defaults, units and
 * explanations. Immutable; any thread.
 *
 * @param enabled whether to take the stock listener's place
 * @param workerThreads IO workers
 * @param transport how sockets are served
 * @param requestQueueSize push transactions that may be under way at a port
 * @param bufferMemory bytes of memory for all buffered data
 * @param transactionMemory bytes up to which a transaction is held in memory
 * @param commitTransactions most transactions in one commit
 * @param commitBytes bytes after which a commit takes no further transaction
 * @param streamingTransactions most transactions at once that have outgrown memory
 * @param pollingThreads threads of NiFi's pool that all ports with traffic together may hold by polling for transactions, on average; 0
 *     for no more than NiFi has them poll
 * @param pullsInOrder whether an output port hands out no more sessions than it has concurrent tasks
 * @param connectionsMax most connections in all; 0 for what open files and heap allow
 * @param connectionsMaxPerAddress most connections from one address; 0 for no limit
 * @param handshakesMax most connections at once whose handshake is not over
 * @param handshakeTimeout from accept to the end of the handshake
 * @param idleTimeout how long a peer may say nothing between two requests
 * @param rates how fast which peers may be, in their order
 * @param drainBeforeStop how long the process drains when it is told to end, before it does; 0 for not at all
 * @param authorizationThreads threads that wait for NiFi's decisions, for handshakes and for transactions each
 * @param tlsProvider what does the arithmetic of TLS
 * @param proxyProtocolFrom load balancers whose PROXY headers are believed, and required
 * @param resolveHostnames whether peers' addresses are resolved to host names
 * @param describe all of them, for the line in which the listener introduces itself
 */
public record ListenerSettings(
        boolean enabled,
        int workerThreads,
        TransportSelection.Choice transport,
        int requestQueueSize,
        long bufferMemory,
        long transactionMemory,
        int commitTransactions,
        long commitBytes,
        int streamingTransactions,
        int pollingThreads,
        boolean pullsInOrder,
        int connectionsMax,
        int connectionsMaxPerAddress,
        int handshakesMax,
        Duration handshakeTimeout,
        IdleTimeout idleTimeout,
        List<RateRule> rates,
        Duration drainBeforeStop,
        int authorizationThreads,
        Provider tlsProvider,
        Predicate<InetAddress> proxyProtocolFrom,
        boolean resolveHostnames,
        String describe) {
    private static final String PREFIX = "nifi.remote.input.nio.";
    private static final String SWITCH = "enabled";

    /** Key of the switch. */
    public static final String ENABLED = PREFIX + SWITCH;

    private static final long KIB = 1024L;
    private static final long MIB = 1024L * KIB;
    private static final long GIB = 1024L * MIB;

    /**
     * @return whether the listener is switched on, whatever the other settings say
     * @throws IllegalArgumentException that names key, value and what is accepted
     */
    public static boolean isEnabled(final NiFiProperties properties) {
        return new SettingsReader(properties, PREFIX).flag(SWITCH, true);
    }

    /** @throws IllegalArgumentException that names key, value and what is accepted */
    public static ListenerSettings from(final NiFiProperties properties) {
        final SettingsReader reader = new SettingsReader(properties, PREFIX);
        final ListenerSettings settings = new ListenerSettings(
                reader.flag(SWITCH, true),
                reader.number("worker.threads", Math.max(2, Runtime.getRuntime().availableProcessors()), 1, 256),
                reader.choice("transport", TransportSelection.Choice.AUTO),
                reader.number("request.queue.size", 10_000, 1, 1_000_000),
                reader.dataSize("buffer.memory", "64 MB", MIB, 64 * GIB),
                reader.dataSize("transaction.memory", "1 MB", 4 * KIB, GIB),
                reader.number("commit.transactions", 200, 1, 100_000),
                reader.dataSize("commit.bytes", "8 MB", KIB, 16 * GIB),
                reader.number("streaming.transactions", 100, 1, 10_000),
                reader.number("polling.threads", 2, 0, 64),
                reader.flag("pulls.in.order", false),
                reader.number("connections.max", 0, 0, 1_000_000),
                reader.number("connections.max.per.address", 0, 0, 1_000_000),
                reader.number("handshakes.max", 4_096, 1, 1_000_000),
                reader.time("handshake.timeout", "30 secs", 100),
                reader.idleTimeout("idle.timeout", 1_000),
                reader.rates("rate."),
                reader.time("drain.before.stop", "0 secs", 0),
                reader.number("authorization.threads", 4, 1, 256),
                reader.choice("tls.provider", Provider.AUTO),
                reader.addresses("proxy.protocol.from"),
                reader.flag("resolve.hostnames", true),
                reader.description());
        reader.requireNoOther();
        if (settings.transactionMemory > settings.bufferMemory) {
            throw new IllegalArgumentException(
                    "%stransaction.memory=%d B is not accepted; use at most %1$sbuffer.memory=%d B"
                            .formatted(PREFIX, settings.transactionMemory, settings.bufferMemory));
        }
        return settings;
    }
}
