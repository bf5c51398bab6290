// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.PublicPort;

/**
 * Has NiFi poll the queues of ports with traffic more often. Thread-safe: IO workers report traffic, the sweep finds the ports
 * whose traffic has ended.
 *
 * <p>A task of NiFi's public port polls the port's queue for a millisecond. If the queue stays empty, NiFi rests the port for its
 * yield period, {@code nifi.bored.yield.duration}, 10 ms by default, and a transaction that becomes ready meanwhile waits for
 * the rest of the period. So a port with traffic gets a shorter yield period, and its own one back when the traffic is over.
 *
 * <p>A poll holds a thread of NiFi's pool, though only for a millisecond: between two polls any other component that is due gets
 * the thread. To leave the pool to the flow, all ports together hold no more threads on average than {@code polling.threads}
 * allows. The more tasks poll, the longer each of them rests.
 */
final class PollPacing {
    /** Duration of one poll by a task of a port: NiFi's {@code StandardPublicPort.onTrigger}. */
    private static final long POLL_MILLIS = 1;

    /** Time after its last transaction during which a port still has traffic: several times the interval of agents with a schedule. */
    private static final long TRAFFIC_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final int pollingThreads;
    private final Set<Pace> prompt = new HashSet<>();

    /** @param pollingThreads how many threads of NiFi's pool the polls of all ports with traffic may hold on average */
    PollPacing(final int pollingThreads) {
        this.pollingThreads = pollingThreads;
    }

    /** The polling of one port. Thread-safe. */
    final class Pace {
        private final PublicPort port;
        private volatile long lastArrivalNanos;
        private volatile boolean hasArrivals;
        private volatile boolean isPrompt;
        /** The yield period that NiFi gave the port; guarded by the pacing's lock, as is the next field. */
        private String ownYieldPeriod;

        private long ownYieldMillis;

        private Pace(final PublicPort port) {
            this.port = port;
        }

        /** Reports that a transaction became ready, or wants a session. */
        void arrived(final long nowNanos) {
            lastArrivalNanos = nowNanos;
            hasArrivals = true;
            if (!isPrompt && pollingThreads > 0) {
                hasten(this);
            }
        }

        /** @return whether a transaction has arrived within that time */
        boolean arrivedWithin(final long nanos, final long nowNanos) {
            return hasArrivals && nowNanos - lastArrivalNanos < nanos;
        }
    }

    /** @return the polling of that port: the same one as before while its yield period is shortened, since that one knows the port's own */
    synchronized Pace of(final PublicPort port) {
        for (final Pace pace : prompt) {
            if (pace.port == port) {
                return pace;
            }
        }
        return new Pace(port);
    }

    private synchronized void hasten(final Pace pace) {
        if (prompt.add(pace)) {
            pace.isPrompt = true;
            pace.ownYieldPeriod = pace.port.getYieldPeriod();
            pace.ownYieldMillis = pace.port.getYieldPeriod(TimeUnit.MILLISECONDS);
            apply();
        }
    }

    /** Gives ports whose traffic has ended their own yield period back. */
    void sweep(final long nowNanos) {
        final List<Pace> quiet = new ArrayList<>();
        synchronized (this) {
            for (final Pace pace : prompt) {
                if (!pace.arrivedWithin(TRAFFIC_NANOS, nowNanos)) {
                    quiet.add(pace);
                }
            }
            restore(quiet);
        }
    }

    /** Gives all ports their own yield period back: the listener stops. */
    synchronized void close() {
        restore(List.copyOf(prompt));
    }

    private void restore(final List<Pace> quiet) {
        for (final Pace pace : quiet) {
            prompt.remove(pace);
            pace.isPrompt = false;
            pace.port.setYieldPeriod(pace.ownYieldPeriod);
        }
        if (!quiet.isEmpty()) {
            apply();
        }
    }

    private void apply() {
        final int tasks = prompt.stream()
                .mapToInt(pace -> pace.port.getMaxConcurrentTasks())
                .sum();
        final long restMillis = restMillis(tasks);
        for (final Pace pace : prompt) {
            if (restMillis < pace.ownYieldMillis) {
                pace.port.setYieldPeriod(restMillis + " millis");
            } else {
                pace.port.setYieldPeriod(pace.ownYieldPeriod);
            }
        }
    }

    /** @return how long each of the tasks has to rest between two polls so that they hold no more threads than allowed */
    private long restMillis(final int tasks) {
        final long turns = Math.ceilDiv(tasks, pollingThreads);
        return Math.max(0, (turns - 1) * POLL_MILLIS);
    }
}
