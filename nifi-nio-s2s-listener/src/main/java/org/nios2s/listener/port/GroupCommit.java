// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.exception.FlowFileAccessException;
import org.apache.nifi.processor.exception.FlowFileHandlingException;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.processor.exception.TerminatedTaskException;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.fault.Guarded;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.metrics.ListenerMetrics.Histogram;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.listener.transaction.BufferedPush;
import org.nios2s.listener.transaction.CommitDeadline;
import org.nios2s.listener.transaction.FlowFileReceiver;
import org.nios2s.listener.transaction.Outcome;

/**
 * Writes many transactions into one session and commits them together; a peer learns the outcome only after {@code commit()}
 * returned. Lives on the port task that the session belongs to, for one run of it.
 *
 * <p>A commit that fails before NiFi updates its FlowFile repository is rolled back and tried again in halves, each in a commit of
 * its own, so that a bad transaction does not fail its neighbours. After {@value #MAX_FAILURES_IN_A_ROW} failures in a row the
 * fault lies with the repositories, and the rest fails untried. A commit that may have updated the repository before it failed is
 * not tried again: its FlowFiles would be there twice after the next start of NiFi.
 *
 * <p>NiFi passes provenance events on before it updates the FlowFile repository. So a commit that fails there leaves RECEIVE
 * events of FlowFiles that do not exist. A failure before the commit leaves none, since the rollback drops them.
 *
 * <p>An {@link Error} is passed on: how far the commit came is unknown, and NiFi's session would put its contents into the next
 * commit. The session must not be used again.
 */
final class GroupCommit {
    /** Failures in a row after which nothing more is tried; halving a full batch down to one bad transaction takes about half. */
    private static final int MAX_FAILURES_IN_A_ROW = 16;

    private final ProcessContext context;
    private final ProcessSession session;
    private final Function<String, ConnectionFault> authorization;
    private final ListenerMetrics metrics;
    private final NanoClock clock;
    private final Set<String> authorized = new HashSet<>();
    private int failures;
    private ConnectionFault givenUp;

    /** @param authorization as {@link PortDispatcher#refusalOf} */
    GroupCommit(
            final ProcessContext context,
            final ProcessSession session,
            final Function<String, ConnectionFault> authorization,
            final ListenerMetrics metrics,
            final NanoClock clock) {
        this.context = context;
        this.session = session;
        this.authorization = authorization;
        this.metrics = metrics;
        this.clock = clock;
    }

    /** Commits claimed transactions, has every peer told, and counts the FlowFiles committed. */
    int commit(final List<BufferedPush> batch) {
        authorized.clear();
        final List<BufferedPush> permitted = new ArrayList<>(batch.size());
        for (final BufferedPush transaction : batch) {
            metrics.recordSince(Histogram.QUEUE_TIME_MS, transaction.readyNanos());
            ConnectionFault refusal = refusalOf(transaction.peer().identity());
            if (refusal == null) {
                refusal = transaction.claimReceipt();
            }
            if (refusal == null) {
                permitted.add(transaction);
            } else {
                transaction.complete(Outcome.failed(refusal));
            }
        }
        if (permitted.isEmpty()) {
            return 0;
        }
        return commitOrHalve(permitted);
    }

    /** @return why the peer may not use the port, or null if it may; the authorizer is asked once for each identity in a batch */
    ConnectionFault refusalOf(final String identity) {
        if (authorized.contains(identity)) {
            return null;
        }
        final ConnectionFault refusal = authorization.apply(identity);
        if (refusal == null) {
            authorized.add(identity);
        }
        return refusal;
    }

    private int commitOrHalve(final List<BufferedPush> batch) {
        if (givenUp != null) {
            complete(batch, Outcome.failed(givenUp));
            return 0;
        }
        final List<BufferedPush> part = refuseExpired(batch);
        if (part.isEmpty()) {
            return 0;
        }
        final long startNanos = clock.nanoTime();
        final Written written;
        try {
            written = write(part);
        } catch (final RuntimeException e) {
            return halve(part, e);
        }
        if (hasExpired(part)) {
            return writeAgain(part);
        }
        // Made before the commit: behind it, memory may run out.
        final int last = part.size() - 1;
        final List<BufferedPush> allButLast = part.subList(0, last);
        final List<BufferedPush> onlyLast = part.subList(last, part.size());
        try {
            session.commit();
        } catch (final RuntimeException e) {
            if (isKnownToBeUncommitted(e)) {
                return halve(part, e);
            }
            return giveUp(part, e);
        }
        // From here on the transactions are committed, also if memory runs out: no peer may be told otherwise.
        failures = 0;
        Guarded.run("Counting what was committed", () -> {
            metrics.recordSince(Histogram.COMMIT_TIME_MS, startNanos);
            metrics.committed(part.size(), written.flowFiles, written.bytes);
        });
        // A peer that hears of a full destination rests. So one hears it, as if each had been committed alone.
        complete(allButLast, Outcome.committed());
        complete(onlyLast, Outcome.committed(context));
        return written.flowFiles;
    }

    private static void complete(final List<BufferedPush> part, final Outcome outcome) {
        for (final BufferedPush transaction : part) {
            transaction.complete(outcome);
        }
    }

    /**
     * Refuses the transactions whose peers have stopped waiting since they were claimed: an authorizer, an earlier commit of the same
     * batch, or the content repository took that long.
     *
     * @return the others
     */
    private List<BufferedPush> refuseExpired(final List<BufferedPush> part) {
        final long nowNanos = clock.nanoTime();
        final List<BufferedPush> inTime = new ArrayList<>(part.size());
        for (final BufferedPush transaction : part) {
            if (transaction.isPastDeadline(nowNanos)) {
                transaction.complete(Outcome.failed(CommitDeadline.expired()));
            } else {
                inTime.add(transaction);
            }
        }
        return inTime;
    }

    private boolean hasExpired(final List<BufferedPush> part) {
        final long nowNanos = clock.nanoTime();
        return part.stream().anyMatch(transaction -> transaction.isPastDeadline(nowNanos));
    }

    /** A peer stopped waiting while the contents were written: its data must not be committed with that of the others. */
    private int writeAgain(final List<BufferedPush> part) {
        try {
            session.rollback();
        } catch (final RuntimeException e) {
            givenUp = Kind.COMMIT_FAILED.fault("The transaction was rolled back", e);
        }
        return commitOrHalve(part);
    }

    /**
     * NiFi's session throws these before it updates the FlowFile repository, or when that update fails, and then rolls back. Any
     * other exception may come from what follows the update: statistics, queues, reporters of metrics.
     */
    private static boolean isKnownToBeUncommitted(final RuntimeException failure) {
        return failure instanceof FlowFileHandlingException
                || failure instanceof FlowFileAccessException
                || failure instanceof TerminatedTaskException
                || failure instanceof ProcessException && failure.getCause() instanceof IOException;
    }

    private int giveUp(final List<BufferedPush> part, final RuntimeException cause) {
        rollback(cause);
        givenUp = Kind.COMMIT_FAILED.fault(
                "The commit failed at a point where NiFi may have kept the data already, so it is not tried again, and the peer"
                        + " will send the data a second time. The cause: " + cause,
                cause);
        complete(part, Outcome.failed(givenUp));
        return 0;
    }

    private int halve(final List<BufferedPush> part, final RuntimeException cause) {
        final ConnectionFault fault = Kind.COMMIT_FAILED.fault("The transaction was rolled back", cause);
        failures++;
        final boolean isSessionUsable = !(cause instanceof TerminatedTaskException) && rollback(cause);
        if (!isSessionUsable || failures >= MAX_FAILURES_IN_A_ROW) {
            givenUp = fault;
        }
        if (givenUp != null || part.size() == 1) {
            complete(part, Outcome.failed(fault));
            return 0;
        }
        final int half = part.size() / 2;
        return commitOrHalve(part.subList(0, half)) + commitOrHalve(part.subList(half, part.size()));
    }

    private boolean rollback(final RuntimeException failure) {
        try {
            session.rollback();
            return true;
        } catch (final RuntimeException e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    /** The sums of what was written into the session. */
    private record Written(int flowFiles, long bytes) {}

    private Written write(final List<BufferedPush> batch) {
        int flowFiles = 0;
        long bytes = 0;
        for (final BufferedPush transaction : batch) {
            final FlowFileReceiver received = new FlowFileReceiver(session, transaction.peer());
            for (int i = 0; i < transaction.packets().size(); i++) {
                if (transaction.isRepetition(i)) {
                    // It is in NiFi already: its sender hears with the others that it was committed.
                    continue;
                }
                final BufferedPush.Packet packet = transaction.packets().get(i);
                received.complete(create(transaction, packet), packet.attributes(), packet.transferMillis());
                flowFiles++;
                bytes += packet.length();
            }
        }
        return new Written(flowFiles, bytes);
    }

    private FlowFile create(final BufferedPush transaction, final BufferedPush.Packet packet) {
        final FlowFile flowFile = session.create();
        if (packet.length() == 0) {
            return flowFile;
        }
        return session.write(flowFile, out -> transaction.writeContent(packet, out));
    }

    /** @return whether the session is of no more use: its port task is to return */
    boolean hasGivenUp() {
        return givenUp != null;
    }
}
