// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.apache.nifi.remote.PublicPort;
import org.nios2s.listener.ListenerSettings;
import org.nios2s.listener.metrics.ListenerMetrics;

/**
 * The dispatchers of all ports that connections use now. Thread-safe.
 *
 * <p>A dispatcher lives as long as a connection uses its port, so a port that was deleted is forgotten with the last of
 * its peers. Dispatcher threads are platform threads: they wait in a monitor of NiFi's, which on Java 21 would hold on
 * to a virtual thread's carrier.
 */
public final class PortDispatchers implements AutoCloseable {
    /** Port tasks, over all ports, that may wait for more at the same time: the pool belongs to the whole flow. */
    private static final int LINGERING_PORT_TASKS = 4;

    private final ListenerSettings settings;
    private final Executor contentWorkers;
    private final ListenerMetrics metrics;
    private final Semaphore lingerPermits = new Semaphore(LINGERING_PORT_TASKS);
    private final ExecutorService dispatcherThreads =
            Executors.newCachedThreadPool(new DefaultThreadFactory("Site-to-Site NIO Dispatcher", true));
    /** Keyed by the port itself: after a reload of the flow another port may have the same identifier. */
    private final Map<PublicPort, Usage> usages = new IdentityHashMap<>();

    /**
     * @param contentWorkers end sessions whose port has stopped
     */
    public PortDispatchers(
            final ListenerSettings settings, final Executor contentWorkers, final ListenerMetrics metrics) {
        this.contentWorkers = contentWorkers;
        this.settings = settings;
        this.metrics = metrics;
    }

    /** @return the port's dispatcher, to be given back with {@link #release} */
    public synchronized PortDispatcher acquire(final PublicPort port) {
        final Usage usage = usages.computeIfAbsent(port, key -> new Usage(create(key)));
        usage.connections++;
        return usage.dispatcher;
    }

    /** Gives a dispatcher back. */
    public synchronized void release(final PortDispatcher dispatcher) {
        final Usage usage = usages.get(dispatcher.port());
        usage.connections--;
        if (usage.connections == 0) {
            usages.remove(dispatcher.port());
        }
    }

    private PortDispatcher create(final PublicPort port) {
        return new PortDispatcher(port, settings, dispatcherThreads, contentWorkers, lingerPermits, metrics);
    }

    /** @return whether a port task writes or commits transactions now */
    public synchronized boolean isServing() {
        return usages.values().stream().anyMatch(usage -> usage.dispatcher.isServing());
    }

    /** @return transactions that wait for a port task, over all ports */
    public synchronized int waiting() {
        return usages.values().stream()
                .mapToInt(usage -> usage.dispatcher.waiting())
                .sum();
    }

    /** Ends the dispatcher threads; requests that a port has not taken yet find nothing to do. */
    @Override
    public void close() {
        dispatcherThreads.shutdownNow();
    }

    /** A dispatcher and how many connections use it; guarded by the lock of its owner. */
    private static final class Usage {
        private final PortDispatcher dispatcher;
        private int connections;

        Usage(final PortDispatcher dispatcher) {
            this.dispatcher = dispatcher;
        }
    }
}
