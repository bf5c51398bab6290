// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.pull;

import java.io.IOException;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.limits.Limit;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.transaction.HeldSession;
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
    private final MemoryBudget.Account charge;
    private final SessionWaiter request;
    private Limit.Permit permit;

    public AwaitFlowFilesStep(final PeerConnection connection) {
        this.connection = connection;
        this.request = new SessionWaiter(
                connection, this::take, this::fail, connection.clock().nanoTime());
        this.charge = connection.dispatcher().limits().memory().open(connection.key(), MemoryBudget.SMALL_BYTES);
    }

    @Override
    public PeerConnection connection() {
        return connection;
    }

    @Override
    public Step begin() {
        return ifAuthorized(this::awaitPermit);
    }

    private Step awaitPermit() {
        if (isQueueEmpty()) {
            return answerNoMoreData();
        }
        permit = connection.dispatcher().limits().sending().acquire(connection.key(), () -> proceed(this::awaitMemory));
        if (permit.isImmediate()) {
            return awaitMemory();
        }
        return this;
    }

    private Step awaitMemory() {
        final long bytes = MemoryBudget.SMALL_BYTES + PullEncoder.deflaterBytes(connection.handshake());
        if (charge.reserve(bytes, () -> proceed(() -> awaitSession(request)))) {
            return awaitSession(request);
        }
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
        if (connection.dispatcher().withdraw(request)) {
            giveBack();
        }
    }

    private void giveBack() {
        charge.close();
        if (permit != null) {
            permit.close();
        }
    }

    /** On the port task. */
    private boolean take(final HeldSession held) throws IOException {
        held.whenEnded(permit::close);
        charge.add(PullEncoder.deflaterBytes(connection.handshake()));
        final PullEncoder transaction = new PullEncoder(
                held, connection.handshake(), connection.channel().alloc(), connection.clock());
        final Pull pull = new Pull(connection, charge, permit, transaction, held);
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
        permit.close();
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
