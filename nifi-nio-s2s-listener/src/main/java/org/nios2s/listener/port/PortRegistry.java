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
import org.nios2s.listener.doubt.DoubtRoom;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.PortLimits;
import org.nios2s.listener.limits.Revocation;
import org.nios2s.listener.limits.SharedResource;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;

/**
 * The dispatchers of all ports that are used now. Thread-safe.
 *
 * <p>A dispatcher lives as long as a connection uses its port or something is under way there, so the dispatcher of a deleted port
 * is soon forgotten. Dispatcher threads are platform threads: they wait in a monitor of NiFi's, where on Java 21 a virtual thread
 * would pin its carrier.
 */
public final class PortRegistry implements AutoCloseable {
    /** Permits that each port has for itself: ports that stand still leave it those. */
    private static final int OWN_PERMITS = 1;

    /** Pulls that may be open for each push that may stream: a pull's session takes less. */
    private static final int SENDING_PER_STREAMING = 4;

    private final MemoryBudget budget;
    private final PortDispatcher.Shared shared;
    private final SharedResource streaming;
    private final SharedResource sending;
    private final Revocation revocation;
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
            final ListenerMetrics metrics,
            final NanoClock clock) {
        this.budget = budget;
        this.shared = new PortDispatcher.Shared(
                settings,
                Executors.newCachedThreadPool(new DefaultThreadFactory("Site-to-Site NIO Dispatcher", true)),
                contentWorkers,
                new PollPacing(settings.ports().pollingThreads()),
                new DoubtRoom(
                        settings.peers().inDoubt().time(),
                        settings.peers().inDoubt().until(),
                        settings.peers().inDoubt().openFile(),
                        clock),
                metrics,
                clock);
        final int maxStreaming = settings.ports().streamingTransactions();
        this.streaming = new SharedResource("a permit to stream", maxStreaming, OWN_PERMITS, clock);
        this.sending =
                new SharedResource("a permit to send", SENDING_PER_STREAMING * (long) maxStreaming, OWN_PERMITS, clock);
        this.revocation = new Revocation(clock);
    }

    /** @return the port's dispatcher, to be given back with {@link #release} */
    public synchronized PortDispatcher acquire(final PublicPort port) {
        final PortDispatcher dispatcher = dispatchers.computeIfAbsent(port, this::create);
        dispatcher.connectionOpened();
        return dispatcher;
    }

    public synchronized void release(final PortDispatcher dispatcher) {
        dispatcher.connectionClosed();
        if (dispatcher.connections() == 0) {
            forgetIdle();
        }
    }

    private PortDispatcher create(final PublicPort port) {
        final int maxStreaming = shared.settings().ports().streamingTransactions();
        final PortLimits limits = new PortLimits(
                streaming.part(Math.max(1, maxStreaming / 2)), sending.part(() -> maxSending(port)), budget.newPart());
        final String id = port.getIdentifier();
        return new PortDispatcher(port, limits, shared, shared.metrics().ofPort(id, port.getName(), gauges(id)));
    }

    /** Where order counts, a pull that breaks is back in its queue before another pull takes what follows. */
    private int maxSending(final PublicPort port) {
        if (shared.settings().ports().pullsInOrder()) {
            return port.getMaxConcurrentTasks();
        }
        return Math.max(1, SENDING_PER_STREAMING * shared.settings().ports().streamingTransactions() / 2);
    }

    /** @return current values of a port, or for null of all ports together */
    public Map<String, Supplier<Number>> gauges(final String portId) {
        return Map.of(
                "ConnectionsOpen", () -> sum(portId, PortDispatcher::connections),
                "TransactionsInProgress", () -> sum(portId, PortDispatcher::inProgress),
                "TransactionsWaiting", () -> sum(portId, PortDispatcher::waiting));
    }

    /** Ends what waits for ports that have stopped, and replaces lost triggers; to be called a few times a second. */
    public void sweep() {
        for (final PortDispatcher dispatcher : all()) {
            Guarded.run("Looking after " + dispatcher.port(), dispatcher::sweep);
            Guarded.run(
                    "Looking after what waits for " + dispatcher.port(),
                    () -> dispatcher.resources().forEach(revocation::check));
        }
        budget.resources().forEach(revocation::check);
        revocation.check(streaming);
        revocation.check(sending);
        shared.pacing().sweep(shared.clock().nanoTime());
        shared.doubts().forgetOld();
        forgetIdle();
    }

    private synchronized void forgetIdle() {
        dispatchers.values().removeIf(dispatcher -> {
            final boolean unused = dispatcher.connections() == 0 && dispatcher.isIdle();
            if (unused) {
                dispatcher.close();
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

    /** @return packets that were committed, and whose peers could not be told */
    public int inDoubt() {
        return shared.doubts().inDoubt();
    }

    /** @return what waits for a port task, over all ports */
    public int waiting() {
        return sum(null, PortDispatcher::waiting);
    }

    /** @return transactions under way, over all ports, those included whose peer has left */
    public int inProgress() {
        return sum(null, PortDispatcher::inProgress);
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
            dispatcher.close();
        }
    }

    /** Ends the memory of packets in doubt; to be called when no answer can leave any more. */
    public void closeDoubts() {
        shared.doubts().close();
    }
}
