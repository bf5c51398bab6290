// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import java.io.IOException;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.limits.SharedResource.Grant;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.listener.transaction.PullEncoder;
import org.nios2s.listener.transaction.SessionWaiter;
import org.nios2s.wire.ResponseCode;

/**
 * The peer asks for FlowFiles: a port task takes them from the queue, and makes the first piece of the packets. An empty
 * queue is answered without a port task. Lives on the connection's IO worker; {@link #take} on the port task.
 *
 * <pre>
 * AwaitFlowFiles → Send → AwaitChecksum → AwaitFinished → CommitPull → Request
 * </pre>
 */
public final class AwaitFlowFilesStep implements WaitingStep {
    private final PeerConnection connection;
    private final SessionWaiter request;
    private Grant charge;
    private Grant permit;

    public AwaitFlowFilesStep(final PeerConnection connection) {
        this.connection = connection;
        this.request = new SessionWaiter(
                connection, this::take, this::fail, connection.clock().nanoTime());
    }

    @Override
    public PeerConnection connection() {
        return connection;
    }

    @Override
    public Step begin() {
        return ifAuthorized(this::awaitMemory);
    }

    private Step awaitMemory() {
        if (isQueueEmpty()) {
            return answerNoMoreData();
        }
        final long bytes = MemoryBudget.SMALL_BYTES + PullEncoder.deflaterBytes(connection.handshake());
        charge = connection
                .dispatcher()
                .limits()
                .memory()
                .request(connection, bytes, 0, () -> proceed(this::awaitSession));
        if (charge.isImmediate()) {
            return awaitSession();
        }
        return this;
    }

    private Step awaitSession() {
        permit = connection.dispatcher().awaitSession(request);
        return this;
    }

    private boolean isQueueEmpty() {
        return connection.port().getIncomingConnections().stream()
                .allMatch(incoming -> incoming.getFlowFileQueue().isActiveQueueEmpty());
    }

    private Step answerNoMoreData() {
        giveBack();
        connection.metrics().add(Counter.PULLS_EMPTY, 1);
        connection.send(ResponseCode.NO_MORE_DATA);
        return connection.awaitRequest();
    }

    @Override
    public void abandon() {
        if (connection.dispatcher().withdraw(request, permit)) {
            giveBack();
        }
    }

    private void giveBack() {
        if (charge != null) {
            charge.close();
        }
    }

    /** On the port task. */
    private boolean take(final HeldSession held) throws IOException {
        charge.add(PullEncoder.deflaterBytes(connection.handshake()));
        final PullEncoder transaction = new PullEncoder(
                held, connection.handshake(), connection.channel().alloc(), connection.clock());
        final Pull pull = new Pull(connection, charge, transaction, held);
        try {
            if (transaction.begin()) {
                new SendStep(pull).makePiece(this);
                return true;
            }
        } catch (final Throwable e) {
            pull.close();
            throw e;
        }
        pull.close();
        proceed(this::answerNoMoreData);
        return false;
    }

    @Override
    public boolean needsRunningPort() {
        return true;
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.EXPIRATION;
    }
}
