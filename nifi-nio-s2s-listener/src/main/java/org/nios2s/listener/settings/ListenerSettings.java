// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.nifi.processor.DataUnit;
import org.apache.nifi.util.FormatUtils;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.TransportSelection;
import org.nios2s.listener.tls.TlsProvider;

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
 * @param connectionsMax most connections in all; 0 for what open files and heap allow
 * @param connectionsMaxPerAddress most connections from one address; 0 for no limit
 * @param handshakeTimeout from accept to the end of the handshake
 * @param tlsProvider what does the arithmetic of TLS
 * @param resolveHostnames whether peers' addresses are resolved to host names
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
        int connectionsMax,
        int connectionsMaxPerAddress,
        Duration handshakeTimeout,
        TlsProvider tlsProvider,
        boolean resolveHostnames) {

    private static final String PREFIX = "nifi.remote.input.nio.";

    /** Key of the switch. */
    public static final String ENABLED = PREFIX + "enabled";

    private static final String WHOLE_NUMBER = "a whole number from %,d to %,d";
    private static final String DATA_SIZE = "a data size such as 64 MB, from %s to %s";
    private static final Pattern DATA_SIZE_TEXT =
            Pattern.compile("\\d+(\\.\\d+)?\\s*[KMGT]?B", Pattern.CASE_INSENSITIVE);
    private static final long KIB = 1024L;
    private static final long MIB = 1024L * KIB;
    private static final long GIB = 1024L * MIB;

    private static final int MAX_WORKER_THREADS = 256;
    private static final int MAX_REQUEST_QUEUE = 1_000_000;
    private static final int MAX_COMMIT_TRANSACTIONS = 100_000;
    private static final int MAX_STREAMING_TRANSACTIONS = 10_000;
    private static final int MAX_CONNECTIONS = 1_000_000;
    private static final long MIN_HANDSHAKE_MILLIS = 100;

    private static final Setting<Boolean> ENABLED_SETTING =
            flag("enabled", true, "Serve RAW Site-to-Site with non-blocking I/O; false leaves the stock listener");
    private static final Setting<Integer> WORKER_THREADS = number(
            "worker.threads",
            Math.max(2, Runtime.getRuntime().availableProcessors()),
            1,
            MAX_WORKER_THREADS,
            "IO workers: threads that read and write sockets");
    private static final Setting<TransportSelection.Choice> TRANSPORT = new Setting<>(
            PREFIX + "transport",
            "auto",
            "auto, epoll or nio",
            "How sockets are served: epoll (Linux), nio (everywhere), or the better one that is there",
            text -> TransportSelection.Choice.valueOf(text.toUpperCase(Locale.ROOT)));
    private static final Setting<Integer> REQUEST_QUEUE_SIZE = number(
            "request.queue.size",
            10_000,
            1,
            MAX_REQUEST_QUEUE,
            "Push transactions that may be under way at a port; a further one waits and is not read");
    private static final Setting<Long> BUFFER_MEMORY =
            dataSize("buffer.memory", "64 MB", MIB, 64 * GIB, "Memory for all buffered data; beyond it reading pauses");
    private static final Setting<Long> TRANSACTION_MEMORY =
            dataSize("transaction.memory", "1 MB", 4 * KIB, GIB, "Size up to which a transaction is held in memory");
    private static final Setting<Integer> COMMIT_TRANSACTIONS = number(
            "commit.transactions", 200, 1, MAX_COMMIT_TRANSACTIONS, "Most transactions in one repository commit");
    private static final Setting<Long> COMMIT_BYTES =
            dataSize("commit.bytes", "8 MB", KIB, 16 * GIB, "Bytes after which a commit takes no further transaction");
    private static final Setting<Integer> STREAMING_TRANSACTIONS = number(
            "streaming.transactions",
            100,
            1,
            MAX_STREAMING_TRANSACTIONS,
            "Most transactions at once that are streamed to the content repository, since they don't fit into memory");
    private static final Setting<Integer> CONNECTIONS_MAX = number(
            "connections.max", 0, 0, MAX_CONNECTIONS, "Most connections in all; 0 for what open files and heap allow");
    private static final Setting<Integer> CONNECTIONS_MAX_PER_ADDRESS = number(
            "connections.max.per.address", 0, 0, MAX_CONNECTIONS, "Most connections of one address; 0 for no limit");
    private static final Setting<Duration> HANDSHAKE_TIMEOUT = new Setting<>(
            PREFIX + "handshake.timeout",
            "30 secs",
            "a time such as 30 secs, from 100 millis",
            "Time from accept to the end of the handshake",
            ListenerSettings::parseTimeout);
    private static final Setting<TlsProvider> TLS_PROVIDER = new Setting<>(
            PREFIX + "tls.provider",
            "auto",
            "auto, openssl or jdk",
            "What does the arithmetic of TLS: BoringSSL, the JDK, or the faster one that is there and can use NiFi's key",
            text -> TlsProvider.valueOf(text.toUpperCase(Locale.ROOT)));
    private static final Setting<Boolean> RESOLVE_HOSTNAMES =
            flag("resolve.hostnames", true, "Resolve peers' addresses to host names, as the stock listener does");

    /** All settings, in the order of the documentation. */
    private static final List<Setting<?>> ALL = List.of(
            ENABLED_SETTING,
            WORKER_THREADS,
            TRANSPORT,
            REQUEST_QUEUE_SIZE,
            BUFFER_MEMORY,
            TRANSACTION_MEMORY,
            COMMIT_TRANSACTIONS,
            COMMIT_BYTES,
            STREAMING_TRANSACTIONS,
            CONNECTIONS_MAX,
            CONNECTIONS_MAX_PER_ADDRESS,
            HANDSHAKE_TIMEOUT,
            TLS_PROVIDER,
            RESOLVE_HOSTNAMES);

    /**
     * @return whether the listener is switched on, whatever the other settings say
     * @throws IllegalArgumentException that names key, value and what is accepted
     */
    public static boolean isEnabled(final NiFiProperties properties) {
        return ENABLED_SETTING.read(properties::getProperty);
    }

    /**
     * Reads all settings.
     *
     * @throws IllegalArgumentException that names key, value and what is accepted
     */
    public static ListenerSettings from(final NiFiProperties properties) {
        final Function<String, String> lookup = properties::getProperty;
        for (final String key : properties.getPropertyKeys()) {
            if (key.startsWith(PREFIX)
                    && ALL.stream().noneMatch(setting -> setting.key().equals(key))) {
                throw new IllegalArgumentException(key + " is no setting of the listener; there are "
                        + ALL.stream().map(Setting::key).toList());
            }
        }
        final ListenerSettings settings = new ListenerSettings(
                ENABLED_SETTING.read(lookup),
                WORKER_THREADS.read(lookup),
                TRANSPORT.read(lookup),
                REQUEST_QUEUE_SIZE.read(lookup),
                BUFFER_MEMORY.read(lookup),
                TRANSACTION_MEMORY.read(lookup),
                COMMIT_TRANSACTIONS.read(lookup),
                COMMIT_BYTES.read(lookup),
                STREAMING_TRANSACTIONS.read(lookup),
                CONNECTIONS_MAX.read(lookup),
                CONNECTIONS_MAX_PER_ADDRESS.read(lookup),
                HANDSHAKE_TIMEOUT.read(lookup),
                TLS_PROVIDER.read(lookup),
                RESOLVE_HOSTNAMES.read(lookup));
        if (settings.transactionMemory > settings.bufferMemory) {
            throw new IllegalArgumentException(TRANSACTION_MEMORY.key() + "=" + settings.transactionMemory
                    + " B is not accepted; use at most " + BUFFER_MEMORY.key() + "=" + settings.bufferMemory + " B");
        }
        return settings;
    }

    private static Setting<Boolean> flag(final String name, final boolean defaultValue, final String explanation) {
        return new Setting<>(PREFIX + name, String.valueOf(defaultValue), "true or false", explanation, text -> {
            if (!"true".equalsIgnoreCase(text) && !"false".equalsIgnoreCase(text)) {
                throw new IllegalArgumentException("neither true nor false");
            }
            return Boolean.valueOf(text);
        });
    }

    private static Setting<Integer> number(
            final String name, final int defaultValue, final int min, final int max, final String explanation) {
        return new Setting<>(
                PREFIX + name,
                String.valueOf(defaultValue),
                String.format(Locale.ROOT, WHOLE_NUMBER, min, max),
                explanation,
                text -> (int) requireRange(Long.parseLong(text), min, max));
    }

    private static Setting<Long> dataSize(
            final String name, final String defaultText, final long min, final long max, final String explanation) {
        return new Setting<>(
                PREFIX + name,
                defaultText,
                String.format(DATA_SIZE, FormatUtils.formatDataSize(min), FormatUtils.formatDataSize(max)),
                explanation,
                text -> requireRange(parseDataSize(text), min, max));
    }

    /** NiFi's parser takes the first size that it finds in a text, and leaves the rest: a sign, say. */
    private static long parseDataSize(final String text) {
        if (!DATA_SIZE_TEXT.matcher(text).matches()) {
            throw new IllegalArgumentException(text + " is no data size");
        }
        return DataUnit.parseDataSize(text, DataUnit.B).longValue();
    }

    private static Duration parseTimeout(final String text) {
        final long millis = FormatUtils.getTimeDuration(text, TimeUnit.MILLISECONDS);
        return Duration.ofMillis(requireRange(millis, MIN_HANDSHAKE_MILLIS, Integer.MAX_VALUE));
    }

    private static long requireRange(final long value, final long min, final long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(value + " is out of range");
        }
        return value;
    }

    /** @return the effective values, for the one line in which the listener introduces itself */
    public String describe() {
        return "worker.threads=" + workerThreads
                + ", transport=" + transport.name().toLowerCase(Locale.ROOT)
                + ", request.queue.size=" + requestQueueSize
                + ", buffer.memory=" + FormatUtils.formatDataSize(bufferMemory)
                + ", transaction.memory=" + FormatUtils.formatDataSize(transactionMemory)
                + ", commit.transactions=" + commitTransactions
                + ", commit.bytes=" + FormatUtils.formatDataSize(commitBytes)
                + ", streaming.transactions=" + streamingTransactions
                + ", connections.max=" + connectionsMax
                + ", connections.max.per.address=" + connectionsMaxPerAddress
                + ", handshake.timeout=" + handshakeTimeout.toMillis() + " ms"
                + ", tls.provider=" + tlsProvider.name().toLowerCase(Locale.ROOT)
                + ", resolve.hostnames=" + resolveHostnames;
    }
}
