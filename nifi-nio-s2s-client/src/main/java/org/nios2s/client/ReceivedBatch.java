// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The packets of one transaction, as they arrive. Belongs to the thread that handles it, which it blocks. */
public final class ReceivedBatch implements Iterable<ReceivedPacket> {
    private final InteractiveTransfer transfer;
    private boolean iterated;
    private boolean confirmed;

    ReceivedBatch(final InteractiveTransfer transfer) {
        this.transfer = transfer;
    }

    /** @return the peer that gives the packets, as {@code host:port} */
    public String peer() {
        return transfer.port().peer();
    }

    /**
     * The packets, once; each can be read until the next is asked for.
     *
     * @return an iterator that throws an {@link UncheckedIOException} when the transaction fails
     */
    @Override
    public Iterator<ReceivedPacket> iterator() {
        if (iterated) {
            throw new IllegalStateException("The packets of a batch can be read once");
        }
        iterated = true;
        return new Iterator<>() {
            private ReceivedPacket next;
            private boolean ended;

            @Override
            public boolean hasNext() {
                if (next == null && !ended) {
                    try {
                        next = transfer.pipe().next();
                    } catch (final IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    ended = next == null;
                }
                return next != null;
            }

            @Override
            public ReceivedPacket next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                final ReceivedPacket given = next;
                next = null;
                return given;
            }
        };
    }

    /**
     * Both ends compare what was sent and received; packets that were not read are skipped. From here on nothing but the
     * loss of the connection, or the handler's exception, makes NiFi keep the packets.
     *
     * @throws IOException if the transaction failed; NiFi keeps the packets
     */
    public void confirm() throws IOException {
        if (confirmed) {
            return;
        }
        while (transfer.pipe().next() != null) {
            iterated = true;
        }
        await(transfer.pull(PullConversation::confirm));
        confirmed = true;
    }

    /** Tells NiFi to forget the packets. */
    void complete() throws IOException {
        confirm();
        await(transfer.pull(conversation -> conversation.complete().thenApply(nothing -> {
            transfer.over(conversation.packets(), conversation.bytes(), false);
            return nothing;
        })));
    }

    static <T> T await(final CompletableFuture<T> future) throws IOException {
        try {
            return future.get();
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof final IOException known ? known : new IOException(e.getCause());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            final InterruptedIOException interrupted = new InterruptedIOException("Interrupted while receiving");
            interrupted.initCause(e);
            throw interrupted;
        }
    }
}
