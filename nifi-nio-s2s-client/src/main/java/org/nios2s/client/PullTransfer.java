// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Pulls one batch of packets and hands each to the receiver. Lives on the connection's IO worker, but for the receiver,
 * which is called on a virtual thread of this transaction.
 */
final class PullTransfer extends Transfer {
    private final PacketReceiver receiver;
    private final ConnectionPool pool;
    private PullConversation conversation;
    private PeerConnection connection;

    PullTransfer(final RemotePort port, final PacketReceiver receiver, final ConnectionPool pool) {
        super(port);
        this.receiver = receiver;
        this.pool = pool;
    }

    @Override
    protected void run(final PeerConnection taken) {
        connection = taken;
        conversation = new PullConversation(taken, this::fail);
        conversation.begin();
        conversation.available().whenComplete((available, failure) -> {
            if (failure != null) {
                fail(PushTransfer.cause(failure));
            } else if (available) {
                Thread.ofVirtual().name("s2s-receiver-of-" + port().peer()).start(this::receiveAll);
            } else {
                pool.release(connection);
                succeed(0, 0, false);
            }
        });
    }

    private void receiveAll() {
        try {
            ReceivedPacket packet = conversation.pipe().next();
            while (packet != null) {
                receiver.receive(packet);
                packet = conversation.pipe().next();
            }
            connection.execute(this::confirm);
        } catch (final Exception | Error e) {
            // Also what a receiver should not throw must not leave the caller waiting.
            conversation.pipe().abandon();
            try {
                connection.execute(() -> receiverFailed(e));
            } catch (final RejectedExecutionException closed) {
                // The connector is closed: nobody is there any more who could be told on the connection.
                fail(connection.failure(FailureReason.CONNECTOR_CLOSED, "The connector was closed", e));
            }
        }
    }

    /** Also when the transaction failed first, which the receiver then heard of: that failure stays. */
    private void receiverFailed(final Throwable cause) {
        final TransactionException refused =
                connection.failure(FailureReason.RECEIVER_FAILED, "The receiver refuses a packet: " + cause, cause);
        if (!connection.isEnded()) {
            conversation.abandon(refused);
        }
        fail(refused);
    }

    private void confirm() {
        transferred();
        final CompletableFuture<Void> confirmation = conversation.confirm();
        confirmation.thenRun(this::confirmed);
        confirmation.thenCompose(nothing -> conversation.complete()).whenComplete((nothing, failure) -> {
            if (failure == null) {
                pool.release(connection);
                succeed(conversation.packets(), conversation.bytes(), false);
            } else {
                fail(PushTransfer.cause(failure));
            }
        });
    }

    @Override
    protected void abandon(final TransactionException failure) {
        conversation.abandon(failure);
        fail(failure);
    }
}
