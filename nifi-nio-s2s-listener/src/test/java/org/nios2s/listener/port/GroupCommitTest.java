// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.ArgumentMatchers.isNull;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.processor.exception.TerminatedTaskException;
import org.apache.nifi.processor.io.OutputStreamCallback;
import org.apache.nifi.provenance.ProvenanceReporter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.InOrder;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.transaction.BufferedPush;
import org.nios2s.listener.transaction.CommitDeadline;
import org.nios2s.listener.transaction.Outcome;
import org.nios2s.listener.transaction.OutcomeListener;

/** Many transactions in one commit. Lives on the test's thread, as a port task. */
class GroupCommitTest {
    private static final int EXPIRATION_MILLIS = 400;

    private final Transactions transactions = new Transactions();
    private final ProcessContext context = mock(ProcessContext.class);
    private final ProcessSession session = mock(ProcessSession.class);
    private final ProvenanceReporter provenance = mock(ProvenanceReporter.class);
    private final AtomicLong nowNanos = new AtomicLong();
    private final ListenerMetrics metrics = new ListenerMetrics(1, nowNanos::get);
    private final List<String> unauthorized = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();
    private Runnable beforeAnswer = () -> {};
    private final List<Map<String, String>> attributesPut = new ArrayList<>();
    private final GroupCommit groupCommit = new GroupCommit(context, session, this::authorize, metrics, nowNanos::get);

    private ConnectionFault authorize(final String identity) {
        asked.add(identity);
        beforeAnswer.run();
        return unauthorized.contains(identity)
                ? ConnectionFault.Kind.NOT_AUTHORIZED.fault(identity + " may not")
                : null;
    }

    @BeforeEach
    void openSession() {
        when(context.getAvailableRelationships()).thenReturn(Set.of(Relationship.ANONYMOUS));
        when(session.getProvenanceReporter()).thenReturn(provenance);
        when(session.create()).thenAnswer(invocation -> mock(FlowFile.class));
        when(session.write(any(FlowFile.class), any(OutputStreamCallback.class)))
                .thenAnswer(invocation -> invocation.getArgument(0));
        when(session.putAllAttributes(any(), any())).thenAnswer(invocation -> {
            attributesPut.add(Map.copyOf(invocation.getArgument(1)));
            return invocation.getArgument(0);
        });
    }

    @AfterEach
    void nothingIsHeld() {
        assertEquals(0, transactions.held());
    }

    private BufferedPush claimed(final String identity, final String... contents) throws Exception {
        final BufferedPush transaction = transactions.ready(identity, contents);
        assertTrue(transaction.claim());
        return transaction;
    }

    /** @return one whose peer waits for {@link #EXPIRATION_MILLIS} from now on */
    private BufferedPush claimedWithDeadline(final String identity, final String... contents) throws Exception {
        final BufferedPush transaction = transactions.ready(
                transactions.received(identity, contents), CommitDeadline.of(EXPIRATION_MILLIS, nowNanos.get()));
        assertTrue(transaction.claim());
        return transaction;
    }

    private void letPeersStopWaiting() {
        nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(EXPIRATION_MILLIS));
    }

    private void letPeersStopWaitingDuringWrites() {
        when(session.write(any(FlowFile.class), any(OutputStreamCallback.class)))
                .thenAnswer(invocation -> {
                    letPeersStopWaiting();
                    return invocation.getArgument(0);
                });
    }

    private Outcome outcomeOf(final BufferedPush transaction) {
        final List<Outcome> outcomes = transactions.served().stream()
                .filter(served -> served.transaction() == transaction)
                .map(Transactions.Served::outcome)
                .toList();
        assertEquals(1, outcomes.size(), "A peer hears of its transaction exactly once");
        return outcomes.get(0);
    }

    private static void assertFailed(final ConnectionFault.Kind kind, final Outcome outcome) {
        assertEquals(kind, outcome.fault().kind());
    }

    @Test
    @DisplayName("all transactions of a batch are committed together, and counted")
    void together() throws Exception {
        final List<BufferedPush> batch = List.of(claimed(null, "a", "b"), claimed(null, "c"));
        assertEquals(3, groupCommit.commit(batch));
        verify(session, times(1)).commit();
        verify(session, times(3)).transfer(any(FlowFile.class), eq(Relationship.ANONYMOUS));
        batch.forEach(transaction -> assertEquals(new Outcome(null, false), outcomeOf(transaction)));
        assertEquals(2, metrics.get(Counter.PUSHES_COMMITTED));
        assertEquals(3, metrics.get(Counter.FLOW_FILES_RECEIVED));
        assertEquals(3, metrics.get(Counter.BYTES_RECEIVED));
        assertEquals(1, metrics.get(Counter.COMMITS));
    }

    @Test
    @DisplayName("what a peer stopped waiting for while the authorizer was asked is not committed")
    void expiresInAuthorization() throws Exception {
        final BufferedPush expired = claimedWithDeadline("slow", "a");
        final BufferedPush patient = claimed(null, "b");
        beforeAnswer = this::letPeersStopWaiting;
        assertEquals(1, groupCommit.commit(List.of(expired, patient)));
        assertFailed(ConnectionFault.Kind.REQUEST_EXPIRED, outcomeOf(expired));
        assertNull(outcomeOf(patient).fault());
        verify(session, times(1)).create();
    }

    @Test
    @DisplayName("what a peer stopped waiting for while a commit failed is not committed again")
    void expiresInFailedCommit() throws Exception {
        doAnswer(commit -> {
                    letPeersStopWaiting();
                    throw new ProcessException(new IOException("test"));
                })
                .doNothing()
                .when(session)
                .commit();
        final BufferedPush expired = claimedWithDeadline(null, "a");
        final BufferedPush patient = claimed(null, "b");
        assertEquals(1, groupCommit.commit(List.of(expired, patient)));
        assertFailed(ConnectionFault.Kind.REQUEST_EXPIRED, outcomeOf(expired));
        assertNull(outcomeOf(patient).fault());
        verify(session, times(2)).commit();
    }

    @Test
    @DisplayName(
            "what a peer stopped waiting for while its content was written is rolled back, and the others are written again")
    void expiresInWrite() throws Exception {
        letPeersStopWaitingDuringWrites();
        final BufferedPush expired = claimedWithDeadline(null, "a");
        final BufferedPush patient = claimed(null, "b");
        assertEquals(1, groupCommit.commit(List.of(expired, patient)));
        assertFailed(ConnectionFault.Kind.REQUEST_EXPIRED, outcomeOf(expired));
        assertNull(outcomeOf(patient).fault());
        verify(session, times(1)).rollback();
        verify(session, times(1)).commit();
    }

    @Test
    @DisplayName("a session that can't be rolled back when a peer has stopped waiting commits nothing")
    void expiresAndCannotBeRolledBack() throws Exception {
        letPeersStopWaitingDuringWrites();
        doThrow(new ProcessException("test")).when(session).rollback();
        final BufferedPush expired = claimedWithDeadline(null, "a");
        final BufferedPush patient = claimed(null, "b");
        assertEquals(0, groupCommit.commit(List.of(expired, patient)));
        assertFailed(ConnectionFault.Kind.COMMIT_FAILED, outcomeOf(expired));
        assertFailed(ConnectionFault.Kind.COMMIT_FAILED, outcomeOf(patient));
        assertTrue(groupCommit.hasGivenUp());
        verify(session, never()).commit();
    }

    @Test
    @DisplayName("a peer hears of its transaction only after the commit has returned")
    void finishedBehindCommit() throws Exception {
        final BufferedPush transaction = transactions.received(null, "a");
        final OutcomeListener peer = mock(OutcomeListener.class);
        transaction.ready(peer, CommitDeadline.NONE, 0);
        assertTrue(transaction.claim());
        groupCommit.commit(List.of(transaction));
        final InOrder order = inOrder(session, peer);
        order.verify(session).transfer(any(FlowFile.class), eq(Relationship.ANONYMOUS));
        order.verify(session).commit();
        order.verify(peer).completed(new Outcome(null, false));
    }

    @Test
    @DisplayName("a FlowFile gets the packet's attributes, the peer's host and address, and no uuid of the packet")
    void attributes() throws Exception {
        groupCommit.commit(List.of(claimed(null, "a")));
        assertEquals(List.of(attributesOf("a")), attributesPut);
    }

    private static Map<String, String> attributesOf(final String content) {
        return Map.of("name", content, "s2s.host", "peer.example", "s2s.address", "peer.example:4711");
    }

    @Test
    @DisplayName("provenance has the arguments of NiFi's own server protocol")
    void provenance() throws Exception {
        groupCommit.commit(List.of(claimed("CN=sender", "a")));
        verify(provenance)
                .receive(
                        any(FlowFile.class),
                        eq("nifi://sender.example/source-a"),
                        eq("urn:nifi:source-a"),
                        eq("Remote Host=peer.example, Remote DN=CN=sender"),
                        anyLong());
    }

    @Test
    @DisplayName("provenance of a peer without identity, of a packet without uuid, says none and names no source")
    void anonymousProvenance() throws Exception {
        final BufferedPush transaction = transactions.received(null);
        transaction.packetBegins(new HashMap<>(), 0);
        transaction.packetEnds(0);
        transactions.ready(transaction);
        assertTrue(transaction.claim());
        groupCommit.commit(List.of(transaction));
        verify(provenance)
                .receive(
                        any(FlowFile.class),
                        eq("nifi://sender.example/null"),
                        isNull(),
                        eq("Remote Host=peer.example, Remote DN=none"),
                        anyLong());
        verify(session, never()).write(any(FlowFile.class), any(OutputStreamCallback.class));
    }

    @Test
    @DisplayName("one peer of a group hears that it has filled the destination")
    void destinationFull() throws Exception {
        final List<BufferedPush> batch = List.of(claimed(null, "a"), claimed(null, "b"));
        doAnswer(invocation -> when(context.getAvailableRelationships()).thenReturn(Set.of()))
                .when(session)
                .commit();
        groupCommit.commit(batch);
        assertEquals(new Outcome(null, false), outcomeOf(batch.get(0)));
        assertEquals(new Outcome(null, true), outcomeOf(batch.get(1)));
    }

    /** As NiFi's session throws it when the FlowFile repository can't be written; the session has rolled back then. */
    private static ProcessException repositoryFailure() {
        return new ProcessException("FlowFile Repository failed to update", new IOException("No space left on device"));
    }

    @Test
    @DisplayName("a commit that may have reached the FlowFile repository is not tried again, and nothing else is")
    void unknownOutcome() throws Exception {
        final List<BufferedPush> batch = List.of(claimed(null, "a"), claimed(null, "b"));
        doThrow(new IllegalStateException("A reporter of metrics failed"))
                .when(session)
                .commit();
        assertEquals(0, groupCommit.commit(batch));
        batch.forEach(transaction -> assertFailed(ConnectionFault.Kind.COMMIT_FAILED, outcomeOf(transaction)));
        verify(session, times(1)).commit();
        assertTrue(groupCommit.hasGivenUp());
    }

    @Test
    @DisplayName("one bad transaction in a batch fails alone, and the others are committed without it")
    void badTransactionFailsAlone() throws Exception {
        final BufferedPush good = claimed(null, "a");
        final BufferedPush bad = claimed(null, "bad");
        final BufferedPush behind = claimed(null, "c");
        doThrow(new ProcessException("No such attribute"))
                .when(session)
                .putAllAttributes(any(), argThat(attributes -> "bad".equals(attributes.get("name"))));
        assertEquals(2, groupCommit.commit(List.of(good, bad, behind)));
        assertEquals(new Outcome(null, false), outcomeOf(good));
        assertFailed(ConnectionFault.Kind.COMMIT_FAILED, outcomeOf(bad));
        assertEquals(new Outcome(null, false), outcomeOf(behind));
        verify(session, times(2)).commit();
        verify(session, times(3)).rollback();
        assertEquals(2, metrics.get(Counter.PUSHES_COMMITTED));
    }

    @Test
    @DisplayName("a repository that fails every commit fails every transaction, each once")
    void allFail() throws Exception {
        final List<BufferedPush> batch = List.of(claimed(null, "a"), claimed(null, "b"));
        doThrow(repositoryFailure()).when(session).commit();
        assertEquals(0, groupCommit.commit(batch));
        batch.forEach(transaction -> assertFailed(ConnectionFault.Kind.COMMIT_FAILED, outcomeOf(transaction)));
        verify(session, times(3)).rollback();
        assertEquals(0, metrics.get(Counter.COMMITS));
    }

    @Test
    @DisplayName("a commit that fails once, for the batch, is made up for in halves")
    void retriedOneByOne() throws Exception {
        final List<BufferedPush> batch = List.of(claimed(null, "a"), claimed(null, "b"));
        doThrow(repositoryFailure()).doNothing().when(session).commit();
        assertEquals(2, groupCommit.commit(batch));
        batch.forEach(transaction -> assertEquals(new Outcome(null, false), outcomeOf(transaction)));
        final Map<String, String> a = attributesOf("a");
        final Map<String, String> b = attributesOf("b");
        assertEquals(List.of(a, b, a, b), attributesPut, "The other attempt has the same attributes");
        verify(provenance, times(2)).receive(any(), any(), eq("urn:nifi:source-a"), any(), anyLong());
    }

    @Test
    @DisplayName("a terminated port task fails its batch and does not touch its session again")
    void terminated() throws Exception {
        final List<BufferedPush> batch = List.of(claimed(null, "a"), claimed(null, "b"));
        doThrow(new TerminatedTaskException()).when(session).commit();
        assertEquals(0, groupCommit.commit(batch));
        batch.forEach(transaction -> assertFailed(ConnectionFault.Kind.COMMIT_FAILED, outcomeOf(transaction)));
        verify(session, times(1)).commit();
        verify(session, never()).rollback();
    }

    @Test
    @DisplayName("a peer that is not authorized loses its own transactions and no other")
    void unauthorizedAlone() throws Exception {
        unauthorized.add("CN=mallory");
        final BufferedPush good = claimed("CN=alice", "a");
        final BufferedPush refused = claimed("CN=mallory", "b");
        assertEquals(1, groupCommit.commit(List.of(refused, good)));
        assertEquals(new Outcome(null, false), outcomeOf(good));
        assertFailed(ConnectionFault.Kind.NOT_AUTHORIZED, outcomeOf(refused));
        assertTrue(outcomeOf(refused).fault().getMessage().contains("CN=mallory may not"));
    }

    @Test
    @DisplayName("a batch of peers that are all refused opens no FlowFile and commits nothing")
    void allUnauthorized() throws Exception {
        unauthorized.add("CN=mallory");
        final BufferedPush refused = claimed("CN=mallory", "b");
        assertEquals(0, groupCommit.commit(List.of(refused)));
        assertFailed(ConnectionFault.Kind.NOT_AUTHORIZED, outcomeOf(refused));
        verify(session, never()).create();
        verify(session, never()).commit();
    }

    @Test
    @DisplayName("an identity is asked for once in a batch, and again in the next")
    void authorizedOncePerBatch() throws Exception {
        groupCommit.commit(List.of(claimed("CN=alice", "a"), claimed("CN=alice", "b"), claimed(null, "c")));
        assertEquals(2, asked.size());
        assertNull(asked.get(1));
        unauthorized.add("CN=alice");
        final BufferedPush refused = claimed("CN=alice", "d");
        groupCommit.commit(List.of(refused));
        assertFailed(ConnectionFault.Kind.NOT_AUTHORIZED, outcomeOf(refused));
    }

    @Test
    @DisplayName("halves are committed and answered one after the other, not when the last is done")
    void answersEarly() throws Exception {
        final BufferedPush first = claimed(null, "a");
        final BufferedPush second = claimed(null, "b");
        final BufferedPush third = claimed(null, "c");
        final BufferedPush bad = claimed(null, "bad");
        final List<Integer> answeredBefore = new ArrayList<>();
        doThrow(new ProcessException("No such attribute"))
                .when(session)
                .putAllAttributes(any(), argThat(attributes -> "bad".equals(attributes.get("name"))));
        doAnswer(invocation -> answeredBefore.add(transactions.served().size()))
                .when(session)
                .commit();
        groupCommit.commit(List.of(first, second, third, bad));
        assertEquals(List.of(0, 2), answeredBefore);
        assertFailed(ConnectionFault.Kind.COMMIT_FAILED, outcomeOf(bad));
    }

    @Test
    @DisplayName("repositories that fail again and again fail the rest of a batch untried")
    void hopeless() throws Exception {
        final List<BufferedPush> batch = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            batch.add(claimed(null, "a"));
        }
        doThrow(repositoryFailure()).when(session).commit();
        assertEquals(0, groupCommit.commit(batch));
        batch.forEach(transaction -> assertFailed(ConnectionFault.Kind.COMMIT_FAILED, outcomeOf(transaction)));
        assertTrue(groupCommit.hasGivenUp());
        verify(session, times(16)).commit();
    }

    @Test
    @DisplayName("an Error in a commit is passed on, and its transactions are left to who claimed them")
    void errorInCommit() throws Exception {
        final List<BufferedPush> batch = List.of(claimed(null, "a"), claimed(null, "b"));
        doThrow(new OutOfMemoryError("test")).when(session).commit();
        assertThrows(OutOfMemoryError.class, () -> groupCommit.commit(batch));
        verify(session, times(1)).commit();
        batch.forEach(
                transaction -> transaction.complete(Outcome.failed(ConnectionFault.Kind.COMMIT_FAILED.fault("test"))));
        batch.forEach(transaction -> assertFailed(ConnectionFault.Kind.COMMIT_FAILED, outcomeOf(transaction)));
    }

    /** Commits as a visit does: a transaction without an answer has failed when an Error comes out. */
    private void visit(final List<BufferedPush> batch) {
        try {
            groupCommit.commit(batch);
        } catch (final OutOfMemoryError e) {
            final Outcome failed = Outcome.failed(
                    ConnectionFault.Kind.COMMIT_FAILED.fault("The transaction was rolled back: " + e, e));
            batch.forEach(transaction -> transaction.complete(failed));
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, OutOfMemoryError.class})
    @DisplayName("what is committed is answered as committed, though the destination can't be asked")
    void committedWhateverFollows(final Class<? extends Throwable> failure) throws Exception {
        final BufferedPush transaction = claimed(null, "a");
        when(context.getAvailableRelationships()).thenThrow(failure);
        visit(List.of(transaction));
        assertEquals(new Outcome(null, false), outcomeOf(transaction));
    }

    @Test
    @DisplayName(
            "memory that runs out while one peer of a commit is to be told tells no peer that its transaction failed")
    void errorBeforeAnswer() throws Exception {
        final BufferedPush unlucky = claimed(null, "a");
        final BufferedPush behind = claimed(null, "b");
        doThrow(new OutOfMemoryError("test")).when(unlucky.peer()).worker();
        visit(List.of(unlucky, behind));
        assertEquals(new Outcome(null, false), outcomeOf(behind));
        assertEquals(
                List.of(behind),
                transactions.served().stream()
                        .map(Transactions.Served::transaction)
                        .toList());
        assertEquals(BufferedPush.State.ENDED, unlucky.state());
    }

    @Test
    @DisplayName("an Error while one peer is told keeps no other from being told")
    void errorInAnswer() throws Exception {
        final BufferedPush unlucky = transactions.received(null, "a");
        unlucky.ready(
                outcome -> {
                    throw new OutOfMemoryError("test");
                },
                CommitDeadline.NONE,
                0);
        assertTrue(unlucky.claim());
        final BufferedPush behind = claimed(null, "b");
        groupCommit.commit(List.of(unlucky, behind));
        assertEquals(new Outcome(null, false), outcomeOf(behind));
        assertEquals(BufferedPush.State.ENDED, unlucky.state());
    }

    /** Attributes of which only a reader of identifiers would ask for one. */
    private static final class UnaskedAttributes extends AbstractMap<String, String> {
        private final Map<String, String> own = new HashMap<>(Map.of("uuid", "source"));

        @Override
        public Set<Entry<String, String>> entrySet() {
            return own.entrySet();
        }

        @Override
        public String put(final String name, final String value) {
            return own.put(name, value);
        }

        @Override
        public String get(final Object name) {
            throw new AssertionError("asked for " + name);
        }
    }

    @Test
    @DisplayName("looks for no packet's identifier where no packets are remembered")
    void nothingIsRemembered() throws Exception {
        final BufferedPush transaction = transactions.received("peer");
        transaction.packetBegins(new UnaskedAttributes(), 0);
        transaction.packetEnds(0);
        transactions.ready(transaction);
        assertTrue(transaction.claim());
        assertEquals(1, groupCommit.commit(List.of(transaction)));
        assertFalse(transaction.isRepetition(0));
    }
}
