// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.nios2s.client.BatchHandler;
import org.nios2s.client.FailureReason;
import org.nios2s.client.OutputPort;
import org.nios2s.client.ReceivedBatch;
import org.nios2s.client.ReceivedPacket;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.internal.connection.Failures;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The packets of one transaction, as they arrive: {@code hasNext()} of its iterator skips what is unread of the packet in
 * hand. Used by one thread at a time, which it blocks; another thread may go on with it.
 *
 * <p>NiFi keeps all packets until {@link #complete}. A {@link BatchHandler} returns in place of calling it; a caller
 * of {@link OutputPort#poll} calls it, or {@link #close} to refuse. An open batch holds a connection, and NiFi
 * waits for it no longer than {@link OutputPort#withRequestExpiration the request expiration}.
 */
public final class DefaultReceivedBatch implements ReceivedBatch {
    private enum State {
        OPEN,
        CONFIRMED,
        COMPLETE,
        CLOSED
    }

    private static final Logger logger = LoggerFactory.getLogger(DefaultReceivedBatch.class);

    private final InteractiveAttempt attempt;
    private boolean iterated;
    /** The packet that was looked at and not handed out yet. */
    private ReceivedPacket next;

    private boolean allRead;
    private State state = State.OPEN;

    public DefaultReceivedBatch(final InteractiveAttempt attempt) {
        this.attempt = attempt;
    }

    @Override
    public String peer() {
        return attempt.port().peer();
    }

    @Override
    public String commsId() {
        return attempt.commsId();
    }

    @Override
    public Iterator<ReceivedPacket> iterator() {
        if (iterated) {
            throw new IllegalStateException("The packets of a batch can be read once");
        }
        requireOpen();
        iterated = true;
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                try {
                    return look();
                } catch (final IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            @Override
            public ReceivedPacket next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return take();
            }
        };
    }

    /** @return whether there is a packet that was not handed out */
    private boolean look() throws IOException {
        if (next == null && !allRead && state == State.OPEN) {
            next = attempt.queue().next();
            allRead = next == null;
        }
        return next != null;
    }

    private ReceivedPacket take() {
        final ReceivedPacket taken = next;
        next = null;
        return taken;
    }

    private void requireOpen() {
        if (state != State.OPEN) {
            throw new IllegalStateException("The batch is over: it is " + state);
        }
    }

    @Override
    public long skipRest() throws IOException {
        requireOpen();
        iterated = true;
        long skipped = 0;
        while (look()) {
            take();
            skipped++;
        }
        return skipped;
    }

    @Override
    public void confirm() throws IOException {
        if (state == State.CONFIRMED) {
            return;
        }
        requireOpen();
        if (look()) {
            throw new IllegalStateException(
                    "There are packets that were not read: iterate over all of them, or call skipRest()");
        }
        attempt.queue().leave();
        await(attempt.confirmPull());
        state = State.CONFIRMED;
    }

    @Override
    public TransactionResult complete() throws IOException {
        if (state != State.COMPLETE) {
            confirm();
            await(attempt.completePull());
            state = State.COMPLETE;
        }
        return await(attempt.result());
    }

    @Override
    public void close() {
        if (state != State.COMPLETE) {
            state = State.CLOSED;
            attempt.queue().leave();
            giveUp("The batch was closed before it was complete");
        }
    }

    /** Ends the transaction, if it is not over. Any thread; the thread that handles the batch is interrupted. */
    public void giveUp(final String message) {
        attempt.stop(FailureReason.CANCELLED, message);
    }

    /**
     * Has the batch handled, and completes it. On a thread of ours, whose interrupts end here.
     *
     * @throws TransactionException if the handler refuses the batch, or the transaction failed
     */
    public void handle(final BatchHandler handler) throws TransactionException {
        attempt.handledBy(Thread.currentThread());
        try {
            handler.handle(this);
            attempt.handledBy(null);
            // A handler that restores the flag, as every guide says, has returned all the same.
            Thread.interrupted();
            complete();
        } catch (final Throwable e) {
            // Also what a handler should not throw must not be lost, nor leave anybody waiting.
            refuse(e instanceof UncheckedIOException ? e.getCause() : e);
        } finally {
            attempt.handledBy(null);
            Thread.interrupted();
        }
    }

    private void refuse(final Throwable cause) throws TransactionException {
        if (state != State.COMPLETE) {
            state = State.CLOSED;
            attempt.stop(FailureReason.HANDLER_FAILED, "The handler refuses the batch: " + cause, cause);
        }
        final TransactionException failure = attempt.failure();
        if (failure != null) {
            throw failure;
        }
        logger.warn("The handler of a batch of {} failed after it had completed the batch", peer(), cause);
    }

    public static <T> T await(final CompletableFuture<T> future) throws IOException {
        try {
            return future.get();
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof final IOException known ? known : new IOException(e.getCause());
        } catch (final InterruptedException e) {
            throw Failures.interrupted("receiving", e);
        }
    }
}
