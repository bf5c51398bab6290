// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.cluster.NodeInformation;
import org.nios2s.listener.time.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes that peers may use, as NiFi told them at most a second ago. Thread-safe; NiFi is asked on a thread for blocking
 * tasks, by one question at a time and one question a second.
 *
 * <p>Each question makes NiFi open a socket to the cluster coordinator, with time-outs of several seconds, while a fleet of
 * clients asks for thousands of lists a second. So all peers share the answer. While the coordinator does not answer, peers
 * get the last list for {@link #MEMORY_NANOS}, and so they do while it knows of no node: a node that has left costs a client
 * one failed connection, but no list may leave it without any node.
 */
final class ClusterNodes {
    private static final Logger logger = LoggerFactory.getLogger(ClusterNodes.class);

    /** Heartbeats, from which the coordinator knows its nodes, are five seconds apart. */
    static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long a peer waits for an answer before it gets the last list. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long the last list stands in for an answer. */
    static final long MEMORY_NANOS = TimeUnit.MINUTES.toNanos(5);

    /** NiFi gives the coordinator so long to connect, and again to answer: what takes longer is worth a line. */
    static final long OVERDUE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Between two lines about a coordinator that does not answer. */
    private static final long REPORT_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Where the nodes come from; may block. */
    @FunctionalInterface
    interface Source {
        Collection<NodeInformation> nodes() throws Exception;
    }

    private final Source source;
    private final Executor threads;
    private final NanoClock clock;
    private Question question;
    /** When the question was answered, or failed. */
    private long settledNanos;

    private Answer last;
    private Coordinator coordinator = Coordinator.ANSWERS;
    private long reportedNanos;

    /** The last state of the coordinator that was logged. */
    private enum Coordinator {
        ANSWERS,
        SILENT
    }

    /** A question to NiFi. */
    private record Question(CompletableFuture<Collection<NodeInformation>> answer, long askedNanos) {}

    /** NiFi's last answer. */
    private record Answer(Collection<NodeInformation> nodes, long receivedNanos) {}

    ClusterNodes(final Source source, final Executor threads, final NanoClock clock) {
        this.source = source;
        this.threads = threads;
        this.clock = clock;
        this.reportedNanos = clock.nanoTime() - REPORT_INTERVAL_NANOS;
    }

    /**
     * Never blocks.
     *
     * @return the nodes, most often at once. Incomplete while NiFi is being asked: a caller that has waited for
     *     {@link #PATIENCE_NANOS} may ask here again, and gets the last list if there is one
     */
    synchronized CompletableFuture<Collection<NodeInformation>> current() {
        final long now = clock.nanoTime();
        if (question == null || question.answer.isDone() && now - settledNanos >= FRESH_NANOS) {
            ask(now);
        }
        if (question.answer.isDone() || now - question.askedNanos < PATIENCE_NANOS) {
            return question.answer;
        }
        if (now - question.askedNanos >= OVERDUE_NANOS) {
            reportSilence("no answer for " + TimeUnit.NANOSECONDS.toSeconds(now - question.askedNanos) + " s", now);
        }
        if (isRemembered(now)) {
            return CompletableFuture.completedFuture(last.nodes);
        }
        return question.answer;
    }

    private boolean isRemembered(final long now) {
        return last != null && now - last.receivedNanos <= MEMORY_NANOS;
    }

    private void ask(final long now) {
        final Question asked = new Question(new CompletableFuture<>(), now);
        question = asked;
        try {
            threads.execute(() -> {
                try {
                    answered(asked, List.copyOf(source.nodes()));
                } catch (final Throwable e) {
                    failed(asked, e);
                }
            });
        } catch (final RejectedExecutionException e) {
            asked.answer.completeExceptionally(e);
        }
    }

    private void answered(final Question asked, final Collection<NodeInformation> nodes) {
        final Collection<NodeInformation> told;
        synchronized (this) {
            settledNanos = clock.nanoTime();
            // A coordinator that was elected a moment ago knows of no node until it hears the first heartbeat.
            if (!nodes.isEmpty() || !isRemembered(settledNanos)) {
                last = new Answer(nodes, settledNanos);
            }
            told = last.nodes;
            if (coordinator == Coordinator.SILENT) {
                coordinator = Coordinator.ANSWERS;
                logger.info("NiFi lists the nodes of its cluster again");
            }
        }
        // Outside the lock, since this calls each peer that waits.
        asked.answer.complete(told);
    }

    private void failed(final Question asked, final Throwable failure) {
        final Optional<Collection<NodeInformation>> remembered;
        synchronized (this) {
            settledNanos = clock.nanoTime();
            reportSilence(failure.toString(), settledNanos);
            remembered = Optional.ofNullable(last)
                    .filter(answer -> isRemembered(settledNanos))
                    .map(Answer::nodes);
        }
        remembered.ifPresentOrElse(asked.answer::complete, () -> asked.answer.completeExceptionally(failure));
    }

    private void reportSilence(final String reason, final long now) {
        if (coordinator == Coordinator.SILENT || now - reportedNanos < REPORT_INTERVAL_NANOS) {
            return;
        }
        coordinator = Coordinator.SILENT;
        reportedNanos = now;
        logger.warn(
                "NiFi can't list the nodes of its cluster ({}). Peers that ask for the list get the last one for {} min, and are"
                        + " then cut off; look at the cluster coordinator",
                reason,
                TimeUnit.NANOSECONDS.toMinutes(MEMORY_NANOS));
    }
}
