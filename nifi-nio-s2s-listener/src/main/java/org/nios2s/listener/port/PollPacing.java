// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
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
 *
 * <p>A period is a text that NiFi parses, and with many ports one or another always begins or ends its traffic. So an IO worker sets
 * the period of the port alone for which traffic has come. The sweep sets those of the others, as far as theirs have changed.
 */
final class PollPacing {
    /** Duration of one poll by a task of a port: NiFi's {@code StandardPublicPort.onTrigger}. */
    private static final long POLL_MILLIS = 1;

    /** Time after its last transaction during which a port still has traffic: several times the interval of agents with a schedule. */
    private static final long TRAFFIC_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final int pollingThreads;
    /** Ports with traffic, each by its identity. */
    private final Map<PublicPort, Pace> prompt = new IdentityHashMap<>();
    /** Concurrent tasks of these ports. */
    private int tasks;

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
        /** The yield period that NiFi gave the port; guarded by the pacing's lock, as are the next fields. */
        private String ownYieldPeriod;

        private long ownYieldMillis;
        /** The yield period that the port has now. */
        private long yieldMillis;

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
        final Pace pace = prompt.get(port);
        if (pace == null) {
            return new Pace(port);
        }
        return pace;
    }

    private synchronized void hasten(final Pace pace) {
        if (prompt.putIfAbsent(pace.port, pace) == null) {
            pace.isPrompt = true;
            pace.ownYieldPeriod = pace.port.getYieldPeriod();
            pace.ownYieldMillis = pace.port.getYieldPeriod(TimeUnit.MILLISECONDS);
            pace.yieldMillis = pace.ownYieldMillis;
            tasks += pace.port.getMaxConcurrentTasks();
            setYield(pace, restMillis());
        }
    }

    /** Gives ports whose traffic has ended their own yield period back, and the others that of their number now. */
    synchronized void sweep(final long nowNanos) {
        for (final Pace pace : List.copyOf(prompt.values())) {
            if (!pace.arrivedWithin(TRAFFIC_NANOS, nowNanos)) {
                restore(pace);
            }
        }
        tasks = prompt.keySet().stream()
                .mapToInt(PublicPort::getMaxConcurrentTasks)
                .sum();
        if (tasks > 0) {
            final long restMillis = restMillis();
            prompt.values().forEach(pace -> setYield(pace, restMillis));
        }
    }

    /** Gives all ports their own yield period back: the listener stops. */
    synchronized void close() {
        List.copyOf(prompt.values()).forEach(this::restore);
    }

    private void restore(final Pace pace) {
        prompt.remove(pace.port);
        pace.isPrompt = false;
        setYield(pace, pace.ownYieldMillis);
    }

    private static void setYield(final Pace pace, final long restMillis) {
        final long millis = Math.min(restMillis, pace.ownYieldMillis);
        if (millis == pace.yieldMillis) {
            return;
        }
        pace.yieldMillis = millis;
        if (millis == pace.ownYieldMillis) {
            pace.port.setYieldPeriod(pace.ownYieldPeriod);
        } else {
            pace.port.setYieldPeriod(millis + " millis");
        }
    }

    /** @return how long each of the tasks has to rest between two polls so that they hold no more threads than allowed */
    private long restMillis() {
        final long turns = Math.ceilDiv(tasks, pollingThreads);
        return Math.max(0, (turns - 1) * POLL_MILLIS);
    }
}
