// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.ClientStatistics;
import org.nios2s.client.Direction;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;

/**
 * Counts and times a client's transactions in a registry of Micrometer, and shows there what the client holds. Any thread.
 *
 * <p>It is given to {@link SiteToSite.Builder#observer} for the counters and timers. {@link #gauges} adds the gauges of the client
 * that was built. The tags are the port, the direction, and the reason of a failure: the number of meters is bounded by them.
 */
public final class MicrometerMetrics implements ClientObserver {
    private static final String PREFIX = "nifi.s2s.client.";

    private final MeterRegistry registry;
    private final Tags tags;

    /**
     * Makes metrics of one client.
     *
     * @param registry keeps the meters
     * @param tags of all meters, such as the name of the client where there are several
     */
    public MicrometerMetrics(final MeterRegistry registry, final Tags tags) {
        this.registry = registry;
        this.tags = tags;
    }

    /**
     * Adds the gauges of a client.
     *
     * @param client is held weakly; its gauges have no value after it is gone
     */
    public void gauges(final SiteToSite client) {
        gauge(client, "connections", "open connections, idle ones included", ClientStatistics::connections);
        gauge(client, "connections.idle", "connections that serve no transaction", ClientStatistics::idleConnections);
        gauge(client, "transactions.pending", "transactions that wait", ClientStatistics::pending);
        gauge(client, "transactions.running", "transactions that have a connection", ClientStatistics::inFlight);
        gauge(client, "packets.pending", "packets in batching senders", ClientStatistics::pendingPackets);
        gauge(client, "bytes.pending", "memory of packets that are not over", ClientStatistics::pendingBytes);
    }

    private void gauge(
            final SiteToSite client,
            final String name,
            final String description,
            final ToDoubleFunction<ClientStatistics> value) {
        Gauge.builder(PREFIX + name, client, holder -> value.applyAsDouble(holder.statistics()))
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private static String lower(final Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private Tags of(final Direction direction, final String port) {
        return tags.and("direction", lower(direction), "port", port);
    }

    @Override
    public void transactionCompleted(final Direction direction, final TransactionResult result) {
        final Tags own = of(direction, result.port());
        registry.timer(PREFIX + "transactions", own).record(result.duration());
        registry.counter(PREFIX + "packets", own).increment(result.packets());
        registry.counter(PREFIX + "bytes", own).increment(result.bytes());
    }

    @Override
    public void transactionFailed(final Direction direction, final TransactionException failure) {
        registry.counter(PREFIX + "transactions.failed", reason(direction, failure))
                .increment();
    }

    @Override
    public void retrying(
            final Direction direction, final TransactionException failure, final int attempts, final Duration pause) {
        registry.counter(PREFIX + "attempts.retried", reason(direction, failure))
                .increment();
    }

    private Tags reason(final Direction direction, final TransactionException failure) {
        return of(direction, failure.port()).and("reason", lower(failure.reason()));
    }

    @Override
    public void connectionFailed(final TransactionException failure) {
        registry.counter(PREFIX + "connections.failed", tags.and("reason", lower(failure.reason())))
                .increment();
    }
}
