// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.connection.ListenerContext;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.ContentWriters;
import org.nios2s.listener.transaction.ThrottledExecutor;

/**
 * Those threads of a running listener that may block. Made and stopped on NiFi's main thread; any thread gives them tasks.
 *
 * <p>A running listener has these threads in all, whatever the number of connections:
 * <ul>
 * <li>IO workers, {@code worker.threads}: accept connections, read, write and decode; they never block;
 * <li>dispatchers, up to the concurrent tasks of all ports in use: each waits in a port until a port task has come;
 * <li>content readers, up to {@value #BLOCKING_THREADS}: read contents of pulls, and end sessions without a port task;
 * <li>content writers: write pushes that stream, as many at a time as there are processors, up to
 *     {@value #BLOCKING_THREADS}, plus one for abnormally inflated pushes;
 * <li>handshake checks and authorizations, up to {@code authorization.threads} each: ask NiFi's authorizer;
 * <li>resolvers, up to {@value #BLOCKING_THREADS}: look host names up;
 * <li>peer lists, up to {@value #PEER_LIST_THREADS}: ask NiFi for the nodes of its cluster, and evaluate routing rules;
 * <li>with TLS as many handshake threads as IO workers.
 * </ul>
 */
final class ListenerThreads {
    /** Of those that do not end at once. */
    static final long GRACE_MILLIS = 5_000;

    /** Threads of each pool whose tasks may block: look-ups of names, contents to be sent. */
    private static final int BLOCKING_THREADS = 4;

    /** One thread asks NiFi for the nodes of its cluster, however long that takes; the other one evaluates routing rules meanwhile. */
    private static final int PEER_LIST_THREADS = 2;

    /** Writing contents rarely blocks: one for each processor is enough, and more than a few only wait for the disk. */
    private static final int CONTENT_WRITERS =
            Math.clamp(Runtime.getRuntime().availableProcessors(), 1, BLOCKING_THREADS);

    /** Maximum number of waiting tasks of a pool, one for each of so many connections; further ones are refused. */
    private static final int MAX_QUEUED_TASKS = 100_000;

    private final NanoClock clock;
    private final ExecutorService contentReaders = blockingThreads("Content Reader", BLOCKING_THREADS);
    private final ExecutorService writerThreads =
            Executors.newCachedThreadPool(new DefaultThreadFactory("Site-to-Site NIO Content Writer", true));
    private final ContentWriters contentWriters;
    private final ExecutorService inflationWriter = blockingThreads("Inflation Writer", 1);
    private final ExecutorService lookups = blockingThreads("Resolver", BLOCKING_THREADS);
    private final ExecutorService peerLists = blockingThreads("Peer List", PEER_LIST_THREADS);
    private final ExecutorService handshakeChecks;
    private final ExecutorService authorizations;

    ListenerThreads(final ListenerSettings settings, final NanoClock clock) {
        this.clock = clock;
        final int maxAuthorizations = settings.peers().authorizationThreads();
        this.contentWriters = new ContentWriters(
                writerThreads, CONTENT_WRITERS, settings.ports().streamingTransactions(), clock);
        this.handshakeChecks = blockingThreads("Handshake Check", maxAuthorizations);
        this.authorizations = blockingThreads("Authorization", maxAuthorizations);
    }

    private static ExecutorService blockingThreads(final String name, final int maxThreads) {
        final ThreadPoolExecutor threads = new ThreadPoolExecutor(
                maxThreads,
                maxThreads,
                1,
                TimeUnit.MINUTES,
                new LinkedBlockingQueue<>(MAX_QUEUED_TASKS),
                new DefaultThreadFactory("Site-to-Site NIO " + name, true));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    ExecutorService contentReaders() {
        return contentReaders;
    }

    ContentWriters contentWriters() {
        return contentWriters;
    }

    Executor lookups() {
        return lookups;
    }

    Executor peerLists() {
        return peerLists;
    }

    Executor handshakeChecks() {
        return handshakeChecks;
    }

    /** @return what connections use */
    ListenerContext.Threads forConnections(final ListenerMetrics metrics) {
        return new ListenerContext.Threads(
                handshakeChecks,
                authorizations,
                contentReaders,
                contentWriters::execute,
                new ThrottledExecutor(inflationWriter, metrics, clock));
    }

    /**
     * Stops those that tell the IO workers of ended sessions, so it comes before the workers stop. The writers stop before the readers,
     * which end the writers' sessions.
     */
    void stopContents() {
        for (final ExecutorService threads : List.of(writerThreads, inflationWriter, contentReaders)) {
            threads.shutdown();
            Guarded.run(
                    "Stopping the threads for contents",
                    () -> threads.awaitTermination(GRACE_MILLIS, TimeUnit.MILLISECONDS));
        }
    }

    /** Stops the others. */
    void stop() {
        List.of(handshakeChecks, peerLists, authorizations, lookups).forEach(ExecutorService::shutdownNow);
    }
}
