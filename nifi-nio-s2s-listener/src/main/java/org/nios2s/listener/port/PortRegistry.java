// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.apache.nifi.remote.PublicPort;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.Limit;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.PortLimits;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.settings.ListenerSettings;

/**
 * The dispatchers of all ports that are used now. Thread-safe.
 *
 * <p>A dispatcher lives as long as a connection uses its port or something is under way there, so a port that was deleted is
 * soon forgotten. Dispatcher threads are platform threads: they wait in a monitor of NiFi's, which on Java 21 would hold on
 * to a virtual thread's carrier.
 */
public final class PortRegistry implements AutoCloseable {
    /** A pull's session takes less than a push's that streams: so many may be open for each of those. */
    private static final int SENDING_PER_STREAMING = 4;

    private final MemoryBudget budget;
    private final PortDispatcher.Shared shared;
    private final Limit streaming;
    private final Limit sending;
    /** Keyed by the port itself: after a reload of the flow another port may have the same identifier. */
    private final Map<PublicPort, PortDispatcher> dispatchers = new IdentityHashMap<>();

    /**
     * @param budget of which each port has a share
     * @param contentWorkers end sessions for which no port task will come
     */
    public PortRegistry(
            final ListenerSettings settings,
            final MemoryBudget budget,
            final Executor contentWorkers,
            final ListenerMetrics metrics) {
        this.budget = budget;
        this.shared = new PortDispatcher.Shared(
                settings,
                Executors.newCachedThreadPool(new DefaultThreadFactory("Site-to-Site NIO Dispatcher", true)),
                contentWorkers,
                new PollPacing(settings.pollingThreads()),
                metrics);
        this.streaming = new Limit(settings.streamingTransactions());
        this.sending = new Limit(SENDING_PER_STREAMING * settings.streamingTransactions());
    }

    /** @return the port's dispatcher, to be given back with {@link #release} */
    public synchronized PortDispatcher acquire(final PublicPort port) {
        final PortDispatcher dispatcher = dispatchers.computeIfAbsent(port, this::create);
        dispatcher.countConnection(1);
        return dispatcher;
    }

    public synchronized void release(final PortDispatcher dispatcher) {
        if (dispatcher.countConnection(-1) == 0) {
            forgetIdle();
        }
    }

    private PortDispatcher create(final PublicPort port) {
        final int maxStreaming = shared.settings().streamingTransactions();
        final PortLimits limits = new PortLimits(
                new Limit(shared.settings().requestQueueSize()),
                streaming.child(Math.max(1, maxStreaming / 2)),
                sending.child(maxSending(port)),
                budget.newQuota());
        final String id = port.getIdentifier();
        return new PortDispatcher(port, limits, shared, shared.metrics().ofPort(id, port.getName(), gauges(id)));
    }

    /** Where order counts, a pull that breaks is back in its queue before another one takes what comes next. */
    private int maxSending(final PublicPort port) {
        if (shared.settings().pullsInOrder()) {
            return port.getMaxConcurrentTasks();
        }
        return Math.max(1, SENDING_PER_STREAMING * shared.settings().streamingTransactions() / 2);
    }

    /** @return what is so now at a port, or for null at all together */
    public Map<String, Supplier<Number>> gauges(final String portId) {
        return Map.of(
                "ConnectionsOpen", () -> sum(portId, dispatcher -> dispatcher.countConnection(0)),
                "TransactionsInProgress", () -> sum(portId, dispatcher -> inProgress(dispatcher.limits())),
                "TransactionsWaiting", () -> sum(portId, PortDispatcher::waiting));
    }

    /** Ends what waits for ports that have stopped, and repairs requests; to be called a few times a second. */
    public void sweep() {
        for (final PortDispatcher dispatcher : all()) {
            Guarded.run("The sweep of " + dispatcher.port(), dispatcher::sweep);
        }
        shared.pacing().sweep(System.nanoTime());
        forgetIdle();
    }

    private synchronized void forgetIdle() {
        dispatchers.values().removeIf(dispatcher -> {
            final boolean unused = dispatcher.countConnection(0) == 0 && dispatcher.isIdle();
            if (unused) {
                dispatcher.forget();
            }
            return unused;
        });
    }

    private synchronized List<PortDispatcher> all() {
        return List.copyOf(dispatchers.values());
    }

    /** @return whether a connection uses the port, or something is under way there */
    public synchronized boolean isUsed(final String portId) {
        return dispatchers.keySet().stream()
                .anyMatch(port -> port.getIdentifier().equals(portId));
    }

    /** @return what waits for a port task, over all ports */
    public int waiting() {
        return sum(null, PortDispatcher::waiting);
    }

    /** @return transactions under way, over all ports, those included whose peer has left */
    public int inProgress() {
        return sum(null, dispatcher -> inProgress(dispatcher.limits()));
    }

    private static int inProgress(final PortLimits limits) {
        return limits.places().held() + limits.sending().held();
    }

    private synchronized int sum(final String portId, final ToIntFunction<PortDispatcher> figure) {
        return dispatchers.values().stream()
                .filter(dispatcher ->
                        portId == null || portId.equals(dispatcher.port().getIdentifier()))
                .mapToInt(figure)
                .sum();
    }

    /** Ends the dispatcher threads; what waits for a port task is refused. */
    @Override
    public void close() {
        shared.dispatcherThreads().shutdownNow();
        shared.pacing().close();
        for (final PortDispatcher dispatcher : all()) {
            dispatcher.portStopped();
            dispatcher.forget();
        }
    }
}
