// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.apache.nifi.connectable.Connection;
import org.apache.nifi.processor.exception.ProcessException;
import org.apache.nifi.remote.PortAuthorizationResult;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.listener.PeerFault;
import org.nios2s.listener.port.HeldSession;
import org.nios2s.listener.transaction.OutboundTransaction;

/**
 * The peer wants FlowFiles: a port task takes them from the queue, and makes the first piece of what is sent. An empty
 * queue is answered without a port task. Lives on the connection's IO worker; {@link Taker} on the port task.
 */
final class AwaitFlowFilesStep extends WaitingStep {
    /** What the port task makes itself: a small pull is then complete, and a large one well under way. */
    private static final int FIRST_PIECE_BYTES = 256 * 1024;

    private final Taker taker = new Taker();
    private final long startNanos = System.nanoTime();

    AwaitFlowFilesStep(final PeerConnection connection) {
        super(connection);
    }

    Step begin() throws PeerFault {
        if (!connection().listener().secure()) {
            return requestSession();
        }
        return runBlocking(
                () -> connection().port().checkUserAuthorization(connection().identity()), this::admit);
    }

    private Step admit(final PortAuthorizationResult result) throws PeerFault {
        if (!result.isAuthorized()) {
            throw new PeerFault(PeerFault.Kind.NOT_AUTHORIZED, result.getExplanation());
        }
        return requestSession();
    }

    private Step requestSession() {
        if (isQueueEmpty()) {
            return answerNoMoreData();
        }
        connection().dispatcher().requestSession(taker);
        return this;
    }

    private boolean isQueueEmpty() {
        for (final Connection incoming : connection().port().getIncomingConnections()) {
            if (!incoming.getFlowFileQueue().isActiveQueueEmpty()) {
                return false;
            }
        }
        return true;
    }

    private Step answerNoMoreData() {
        connection().send(ResponseCode.NO_MORE_DATA);
        return new RequestStep(connection());
    }

    @Override
    public void checkDeadline(final long nowNanos) throws PeerFault {
        Expiration.check(connection(), startNanos, nowNanos);
    }

    @Override
    public void abandon() {
        if (taker.claim()) {
            connection().dispatcher().withdraw(taker);
        }
    }

    @Override
    public boolean needsRunningPort() {
        return true;
    }

    /** Takes the session; lives on the port task. */
    private final class Taker extends WaitingTaker {
        Taker() {
            super(AwaitFlowFilesStep.this);
        }

        @Override
        boolean takeClaimed(final HeldSession held) {
            final OutboundTransaction transaction = new OutboundTransaction(
                    connection(),
                    held.session(),
                    connection().handshake(),
                    connection().channel().alloc());
            if (!transaction.begin()) {
                transaction.close();
                connection().handler().proceed(AwaitFlowFilesStep.this, AwaitFlowFilesStep.this::answerNoMoreData);
                return false;
            }
            final Sending sending = new Sending(connection(), transaction, held);
            final ByteBuf first;
            try {
                first = transaction.nextPiece(FIRST_PIECE_BYTES);
            } catch (final IOException e) {
                transaction.close();
                throw new ProcessException(e);
            } catch (final RuntimeException e) {
                transaction.close();
                throw e;
            }
            sending.charge(first);
            connection()
                    .handler()
                    .proceedOrElse(AwaitFlowFilesStep.this, () -> new SendStep(sending).begin(first), () -> {
                        sending.discharge(first);
                        sending.abandon();
                    });
            return true;
        }
    }
}
