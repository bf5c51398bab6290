// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.doubt.DoubtFile;
import org.nios2s.listener.doubt.DoubtRoom;
import org.nios2s.listener.limits.RateRule;
import org.nios2s.listener.tls.TlsHandlerFactory.Provider;

/**
 * Every setting of the listener, read once from {@code nifi.properties}. The one home of names, defaults, units and
 * explanations. Immutable; any thread.
 *
 * @param enabled whether to take the stock listener's place
 * @param io the serving of sockets
 * @param connections limits and time-outs of connections
 * @param memory bytes of buffered data
 * @param ports limits of each port, and the use of NiFi's threads
 * @param commits the size of a commit
 * @param peers the treatment of peers
 * @param tlsProvider the implementation of TLS
 * @param drainBeforeStop how long the process drains when it is told to end, before it does; 0 for not at all
 * @param describe all settings, for the line in which the listener introduces itself
 */
public record ListenerSettings(
        boolean enabled,
        Io io,
        Connections connections,
        Memory memory,
        Ports ports,
        Commits commits,
        Peers peers,
        Provider tlsProvider,
        Duration drainBeforeStop,
        String describe) {
    /**
     * The serving of sockets.
     *
     * @param workerThreads IO workers
     * @param transport epoll or NIO
     */
    public record Io(int workerThreads, TransportSelection.Choice transport) {}

    /**
     * Limits and time-outs of connections.
     *
     * @param max maximum number in all; 0 for what open files and heap allow
     * @param maxPerAddress maximum number from one address; 0 for no limit
     * @param handshakesMax maximum number at once whose handshake is not over
     * @param handshakeTimeout from accept to the end of the handshake
     * @param idleTimeout how long a peer may send nothing between two requests
     */
    public record Connections(
            int max, int maxPerAddress, int handshakesMax, Duration handshakeTimeout, IdleTimeout idleTimeout) {}

    /**
     * Bytes of buffered data.
     *
     * @param buffer for everything that peers make the listener hold
     * @param transaction up to which a push is held in memory
     */
    public record Memory(long buffer, long transaction) {}

    /**
     * Limits of each port, and the use of NiFi's threads.
     *
     * @param requestQueueSize maximum number of pushes in progress at a port, from a peer's request to the end of its transaction
     * @param streamingTransactions maximum number of pushes at once that have outgrown memory
     * @param pollingThreads threads of NiFi's pool that all ports with traffic together may hold by polling for transactions, on
     *     average; 0 for no more than NiFi has them poll
     * @param pullsInOrder whether an output port hands out no more sessions than it has concurrent tasks
     */
    public record Ports(int requestQueueSize, int streamingTransactions, int pollingThreads, boolean pullsInOrder) {}

    /**
     * The size of a commit.
     *
     * @param transactions maximum number
     * @param bytes after which a commit takes no further transaction
     */
    public record Commits(int transactions, long bytes) {}

    /**
     * The treatment of peers.
     *
     * @param rates rules of rates, in their order
     * @param authorizationThreads threads that wait for NiFi's decisions, for handshakes and for transactions each
     * @param proxyProtocolFrom load balancers whose PROXY headers are believed, and required
     * @param resolveHostnames whether peers' addresses are resolved to host names
     * @param inDoubt the memory of packets that were committed, and whose peers could not be told
     */
    public record Peers(
            List<RateRule> rates,
            int authorizationThreads,
            Predicate<InetAddress> proxyProtocolFrom,
            boolean resolveHostnames,
            InDoubt inDoubt) {}

    /**
     * The memory of packets that were committed, and whose peers could not be told.
     *
     * @param time how long each is remembered; 0 for not at all
     * @param until when a peer counts as told
     * @param repository NiFi's FlowFile repository, if it is known
     * @param isFileKept whether a file there knows after a kill what was in doubt
     */
    public record InDoubt(Duration time, DoubtRoom.Until until, Optional<Path> repository, boolean isFileKept) {
        private static final String FLOW_FILES = "org.apache.nifi.controller.repository.WriteAheadFlowFileRepository";
        private static final String CONTENTS = "org.apache.nifi.controller.repository.FileSystemRepository";

        private static InDoubt read(final SettingsReader reader, final NiFiProperties properties) {
            final Duration time = reader.timeOrNone("in.doubt.time", "10 mins");
            final DoubtRoom.Until until = reader.choice("in.doubt.until", DoubtRoom.Until.SENT);
            final boolean isFileKept =
                    !time.isZero() && until == DoubtRoom.Until.HEARD && hasSurvivingRepositories(properties);
            return new InDoubt(time, until, repository(properties), isFileKept);
        }

        private static Optional<Path> repository(final NiFiProperties properties) {
            return Optional.ofNullable(properties.getProperty(NiFiProperties.FLOWFILE_REPOSITORY_DIRECTORY))
                    .map(Path::of);
        }

        /** What was committed to NiFi's default repositories, and only there, is known to survive a kill. */
        private static boolean hasSurvivingRepositories(final NiFiProperties properties) {
            return !isUnlike(properties, NiFiProperties.FLOWFILE_REPOSITORY_IMPLEMENTATION, FLOW_FILES)
                    && !isUnlike(properties, NiFiProperties.CONTENT_REPOSITORY_IMPLEMENTATION, CONTENTS);
        }

        /** @return the file; where none is kept, one that an earlier start has left is deleted */
        public DoubtFile openFile() {
            if (repository.isEmpty()) {
                return DoubtFile.none();
            }
            if (isFileKept) {
                return DoubtFile.in(repository.get());
            }
            return DoubtFile.absentFrom(repository.get());
        }

        /** The listener does not serve: a file that an earlier start has left is deleted. */
        public static void discardFile(final NiFiProperties properties) {
            repository(properties).ifPresent(DoubtFile::absentFrom);
        }

        private static boolean isUnlike(final NiFiProperties properties, final String key, final String usual) {
            final String configured = properties.getProperty(key);
            return configured != null && !configured.equals(usual);
        }
    }

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
                new Io(
                        reader.number(
                                "worker.threads",
                                Math.max(2, Runtime.getRuntime().availableProcessors()),
                                1,
                                256),
                        reader.choice("transport", TransportSelection.Choice.AUTO)),
                new Connections(
                        reader.number("connections.max", 0, 0, 1_000_000),
                        reader.number("connections.max.per.address", 0, 0, 1_000_000),
                        reader.number("handshakes.max", 4_096, 1, 1_000_000),
                        reader.time("handshake.timeout", "30 secs", 100),
                        reader.idleTimeout("idle.timeout", 1_000)),
                new Memory(
                        reader.dataSize("buffer.memory", "64 MB", MIB, 64 * GIB),
                        reader.dataSize("transaction.memory", "1 MB", 4 * KIB, GIB)),
                new Ports(
                        reader.number("request.queue.size", 10_000, 1, 1_000_000),
                        reader.number("streaming.transactions", 100, 1, 10_000),
                        reader.number("polling.threads", 2, 0, 64),
                        reader.flag("pulls.in.order", false)),
                new Commits(
                        reader.number("commit.transactions", 200, 1, 100_000),
                        reader.dataSize("commit.bytes", "8 MB", KIB, 16 * GIB)),
                new Peers(
                        reader.rates("rate."),
                        reader.number("authorization.threads", 4, 1, 256),
                        reader.addresses("proxy.protocol.from"),
                        reader.flag("resolve.hostnames", true),
                        InDoubt.read(reader, properties)),
                reader.choice("tls.provider", Provider.AUTO),
                reader.timeOrNone("drain.before.stop", "0"),
                reader.description());
        reader.requireNoOther();
        if (settings.memory.transaction > settings.memory.buffer) {
            throw new IllegalArgumentException(
                    "%stransaction.memory=%d B is not accepted; use at most %1$sbuffer.memory=%d B"
                            .formatted(PREFIX, settings.memory.transaction, settings.memory.buffer));
        }
        return settings;
    }
}
