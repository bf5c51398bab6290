// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Pushes all packets of an iterator in one transaction. Lives on the connection's IO worker. */
final class PushTransfer extends Transfer {
    private final Iterator<Packet> packets;
    private final ConnectionPool pool;
    private PushConversation conversation;
    private PeerConnection connection;

    PushTransfer(final RemotePort port, final Iterator<Packet> packets, final ConnectionPool pool) {
        super(port);
        this.packets = packets;
        this.pool = pool;
    }

    @Override
    protected void run(final PeerConnection taken) {
        connection = taken;
        conversation = new PushConversation(taken, this::fail);
        conversation.begin();
        sendNext();
    }

    private void sendNext() {
        CompletableFuture<Void> sent = CompletableFuture.completedFuture(null);
        boolean more = true;
        while (more && isThere(sent)) {
            final Packet packet;
            try {
                packet = packets.hasNext() ? packets.next() : null;
            } catch (final RuntimeException e) {
                abandon(connection.failure(
                        FailureReason.CONTENT_FAILED, "The packets can't be had: " + e.getMessage(), e));
                return;
            }
            more = packet != null;
            if (more) {
                sent = conversation.send(packet);
            }
        }
        if (isThere(sent)) {
            confirm();
        } else {
            sent.whenComplete((nothing, failure) -> {
                if (failure == null) {
                    sendNext();
                } else {
                    fail(cause(failure));
                }
            });
        }
    }

    private static boolean isThere(final CompletableFuture<Void> sent) {
        return sent.isDone() && !sent.isCompletedExceptionally();
    }

    private void confirm() {
        transferred();
        final CompletableFuture<Void> confirmation = conversation.confirm();
        confirmation.thenRun(this::confirmed);
        confirmation.thenCompose(nothing -> conversation.complete()).whenComplete((full, failure) -> {
            if (failure == null) {
                pool.release(connection);
                succeed(conversation.packets(), conversation.bytes(), full);
            } else {
                fail(cause(failure));
            }
        });
    }

    /** @return the failure itself, for a future wraps it when it passes it on */
    static TransactionException cause(final Throwable failure) {
        final Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (cause instanceof TransactionException known) {
            return known;
        }
        throw new IllegalStateException("A conversation fails with nothing but a TransactionException", cause);
    }

    @Override
    protected void abandon(final TransactionException failure) {
        conversation.abandon(failure);
        fail(failure);
    }
}
