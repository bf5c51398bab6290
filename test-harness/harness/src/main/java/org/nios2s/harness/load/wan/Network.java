// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wan;

import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.nios2s.harness.load.LoadClient;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.Wan;

/**
 * What lies between the clients of a run and their servers: this machine's loopback alone, or a WAN. Used on the thread that
 * drives the run.
 */
public final class Network {

    private static final int SIGNIFICANT_DIGITS = 3;
    private static final double P99 = 99;
    private static final double MICROS_PER_MILLI = TimeUnit.MILLISECONDS.toMicros(1);

    private final Wan wan;
    private final long seed;
    private final boolean tcpNoDelay;
    private final Recorder lateness = new Recorder(SIGNIFICANT_DIGITS);

    /**
     * A network that does the same to every run of a seed, as far as the run does the same.
     *
     * @param tcpNoDelay whether the sockets of the clients have TCP_NODELAY
     */
    public Network(final Wan wan, final long seed, final boolean tcpNoDelay) {
        this.wan = wan;
        this.seed = seed;
        this.tcpNoDelay = tcpNoDelay;
    }

    /** The clients of a run, which connect to the addresses that they are given and so over this network. */
    public LoadClient.Factory open(
            final List<TargetAddress> targets, final Function<List<TargetAddress>, LoadClient.Factory> clients) {
        if (!wan.present()) {
            return clients.apply(targets);
        }
        final WanProxy proxy = new WanProxy(wan, seed, tcpNoDelay, this::wasLate);
        try {
            return new FarClients(
                    clients.apply(targets.stream().map(proxy::entrance).toList()), proxy);
        } catch (final RuntimeException | Error e) {
            proxy.close();
            throw e;
        }
    }

    private void wasLate(final long nanos) {
        lateness.recordValue(TimeUnit.NANOSECONDS.toMicros(nanos));
    }

    /** How long after its time a segment was passed on (p99), in milliseconds; empty where none was. */
    public OptionalDouble lateP99Millis() {
        final Histogram micros = lateness.getIntervalHistogram();
        return micros.getTotalCount() == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(micros.getValueAtPercentile(P99) / MICROS_PER_MILLI);
    }

    /** Clients behind a proxy, which is closed after them. */
    private record FarClients(LoadClient.Factory clients, WanProxy proxy) implements LoadClient.Factory {

        @Override
        public LoadClient of(final int client) {
            return clients.of(client);
        }

        /** The proxy's too: while that is held up, answers come late as well. */
        @Override
        public List<? extends ScheduledExecutorService> loops() {
            return Stream.concat(clients.loops().stream(), Stream.of(proxy.loop()))
                    .toList();
        }

        @Override
        public void close() {
            try {
                clients.close();
            } finally {
                proxy.close();
            }
        }
    }
}
