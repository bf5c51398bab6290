// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.exception.TerminatedTaskException;
import org.apache.nifi.remote.PortAuthorizationResult;
import org.nios2s.listener.PeerFault;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.transaction.InboundTransaction;
import org.nios2s.listener.transaction.Outcome;
import org.nios2s.listener.transaction.ReceivedFlowFile;
import org.nios2s.listener.transaction.ReceivedPacket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes many transactions into one session and commits them together. Lives on the port task that the session belongs
 * to, for one visit of it.
 *
 * <p>A transaction's peer learns of its end only after {@code commit()} returned. If the batch fails it is rolled back
 * and every transaction is tried on its own, so that a bad one does not fail its neighbours.
 */
final class GroupCommit {
    private static final Logger logger = LoggerFactory.getLogger(GroupCommit.class);

    private final ProcessContext context;
    private final ProcessSession session;
    private final Function<String, PortAuthorizationResult> authorization;
    private final ListenerMetrics metrics;
    private final Set<String> authorized = new HashSet<>();

    /**
     * @param authorization asks the port whether a peer, by its distinguished name, may use it
     */
    GroupCommit(
            final ProcessContext context,
            final ProcessSession session,
            final Function<String, PortAuthorizationResult> authorization,
            final ListenerMetrics metrics) {
        this.context = context;
        this.session = session;
        this.authorization = authorization;
        this.metrics = metrics;
    }

    /**
     * Commits a batch and reports every outcome.
     *
     * @param batch claimed transactions
     * @return FlowFiles committed
     */
    int commit(final List<InboundTransaction> batch) {
        authorized.clear();
        final List<InboundTransaction> permitted = new ArrayList<>(batch.size());
        final Reports reports = new Reports();
        for (final InboundTransaction transaction : batch) {
            final PeerFault refusal = authorize(transaction.peer().identity());
            if (refusal == null) {
                permitted.add(transaction);
            } else {
                reports.add(transaction, Outcome.failed(refusal));
            }
        }
        final int flowFiles = permitted.isEmpty() ? 0 : commitTogether(permitted, reports);
        reports.deliver();
        return flowFiles;
    }

    /** @return why the peer may not use the port, or null if it may; each identity is asked for once in a batch */
    private PeerFault authorize(final String identity) {
        if (authorized.contains(identity)) {
            return null;
        }
        try {
            final PortAuthorizationResult result = authorization.apply(identity);
            if (result.isAuthorized()) {
                authorized.add(identity);
                return null;
            }
            return new PeerFault(PeerFault.Kind.NOT_AUTHORIZED, result.getExplanation());
        } catch (final RuntimeException e) {
            return new PeerFault(PeerFault.Kind.INTERNAL, "The authorization of the peer could not be checked", e);
        }
    }

    private int commitTogether(final List<InboundTransaction> batch, final Reports reports) {
        final int flowFiles;
        try {
            flowFiles = writeAndCommit(batch);
        } catch (final TerminatedTaskException e) {
            failAll(batch, reports, e);
            return 0;
        } catch (final RuntimeException e) {
            if (!rollback(e) || batch.size() == 1) {
                failAll(batch, reports, e);
                return 0;
            }
            return commitOneByOne(batch, reports);
        }
        // From here on the transactions are committed, whatever happens.
        final Outcome outcome = isDestinationFull() ? Outcome.COMMITTED_AND_FULL : Outcome.COMMITTED;
        batch.forEach(transaction -> reports.add(transaction, outcome));
        return flowFiles;
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

    private int commitOneByOne(final List<InboundTransaction> batch, final Reports reports) {
        int flowFiles = 0;
        for (final InboundTransaction transaction : batch) {
            flowFiles += commitTogether(List.of(transaction), reports);
        }
        return flowFiles;
    }

    private static void failAll(
            final List<InboundTransaction> batch, final Reports reports, final RuntimeException cause) {
        final Outcome outcome =
                Outcome.failed(new PeerFault(PeerFault.Kind.COMMIT_FAILED, "The transaction was rolled back", cause));
        batch.forEach(transaction -> reports.add(transaction, outcome));
    }

    private int writeAndCommit(final List<InboundTransaction> batch) {
        int flowFiles = 0;
        long bytes = 0;
        for (final InboundTransaction transaction : batch) {
            for (final ReceivedPacket packet : transaction.packets()) {
                write(transaction, packet);
                flowFiles++;
                bytes += packet.length();
            }
        }
        session.commit();
        metrics.committed(batch.size(), flowFiles, bytes);
        return flowFiles;
    }

    private void write(final InboundTransaction transaction, final ReceivedPacket packet) {
        FlowFile flowFile = session.create();
        if (packet.length() > 0) {
            flowFile = session.write(flowFile, out -> transaction.writeContent(packet, out));
        }
        ReceivedFlowFile.complete(session, flowFile, packet.attributes(), transaction.peer(), packet.transferMillis());
    }

    /** @return whether back pressure forbids another commit */
    boolean isDestinationFull() {
        return context.getAvailableRelationships().isEmpty();
    }

    /** Outcomes, handed to each IO worker in one go. */
    private static final class Reports {
        private final Map<EventExecutor, List<Runnable>> byWorker = new IdentityHashMap<>();

        void add(final InboundTransaction transaction, final Outcome outcome) {
            transaction.end();
            byWorker.computeIfAbsent(transaction.peer().worker(), worker -> new ArrayList<>())
                    .add(() -> transaction.peer().served(transaction, outcome));
        }

        void deliver() {
            byWorker.forEach((worker, reports) -> {
                try {
                    worker.execute(() -> reports.forEach(Runnable::run));
                } catch (final RejectedExecutionException e) {
                    logger.debug("The listener has stopped: {} peers do not hear of their end", reports.size(), e);
                }
            });
        }
    }
}
