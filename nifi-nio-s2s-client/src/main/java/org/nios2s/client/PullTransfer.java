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
    private PullConversation conversation;
    private PeerConnection connection;

    /** Calls the receiver; null while nobody does. */
    private volatile Thread receiving;

    PullTransfer(final RemotePort port, final PacketReceiver receiver, final CallOptions options) {
        super(port, options);
        this.receiver = receiver;
    }

    @Override
    protected void run(final PeerConnection taken) {
        connection = taken;
        conversation = new PullConversation(taken, this::fail);
        conversation.begin();
        conversation.available().whenComplete((available, failure) -> {
            if (failure != null) {
                fail(PushTransfer.cause(connection, failure));
            } else if (available) {
                receiving = Thread.ofVirtual()
                        .name("s2s-receiver-of-" + port().peer())
                        .start(this::receiveAll);
            } else {
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
            receiving = null;
            connection.execute(this::confirm);
        } catch (final Exception | Error e) {
            // Also what a receiver should not throw must not leave the caller waiting.
            conversation.pipe().abandon();
            try {
                connection.execute(() -> receiverFailed(e));
            } catch (final RejectedExecutionException closed) {
                // The client is closed: nobody is there any more who could be told on the connection.
                fail(connection.failure(FailureReason.CONNECTOR_CLOSED, "The client was closed", e));
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
                succeed(conversation.packets(), conversation.bytes(), false);
            } else {
                fail(PushTransfer.cause(connection, failure));
            }
        });
    }

    /** A receiver that waits for something else hears of it too. */
    @Override
    protected void onFailure(final TransactionException failure) {
        final Thread blocked = receiving;
        if (blocked != null) {
            blocked.interrupt();
        }
    }

    @Override
    protected void abandon(final TransactionException failure) {
        conversation.abandon(failure);
        fail(failure);
    }
}
