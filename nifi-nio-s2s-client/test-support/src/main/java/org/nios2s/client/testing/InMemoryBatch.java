// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.nios2s.client.BatchHandler;
import org.nios2s.client.FailureReason;
import org.nios2s.client.ReceivedBatch;
import org.nios2s.client.ReceivedPacket;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import org.nios2s.client.TransactionStep;

/** Packets of a port in memory, with the rules of a real batch. Belongs to one thread at a time; any may give it up. */
final class InMemoryBatch implements ReceivedBatch {
    private enum State {
        OPEN,
        CONFIRMED,
        COMPLETE,
        CLOSED,
        GIVEN_UP
    }

    /** Content that can be read until the next packet is asked for. */
    private static final class Content extends InputStream {
        private final ByteArrayInputStream bytes;
        private boolean left;

        Content(final byte[] bytes) {
            this.bytes = new ByteArrayInputStream(bytes);
        }

        private void check() throws IOException {
            if (left && bytes.available() > 0) {
                throw new IOException(
                        "The last " + bytes.available() + " bytes of this content were left unread and are"
                                + " gone: read them before hasNext() or next() asks for another packet");
            }
        }

        @Override
        public int read() throws IOException {
            check();
            return bytes.read();
        }

        @Override
        public int read(final byte[] target, final int offset, final int length) throws IOException {
            check();
            return bytes.read(target, offset, length);
        }
    }

    private final InMemoryOutputPort port;
    private final List<StoredPacket> packets;
    private boolean iterated;
    private int next;
    private @Nullable Content inHand;
    private State state = State.OPEN;

    InMemoryBatch(final InMemoryOutputPort port, final List<StoredPacket> packets) {
        this.port = port;
        this.packets = packets;
    }

    @Override
    public String peer() {
        return port.peer();
    }

    @Override
    public String commsId() {
        return port.commsId();
    }

    private void leave() {
        if (inHand != null) {
            inHand.left = true;
            inHand = null;
        }
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
                leave();
                return isOpen() && next < packets.size();
            }

            @Override
            public ReceivedPacket next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                final StoredPacket packet = packets.get(next);
                next++;
                inHand = new Content(packet.content());
                return new ReceivedPacket(packet.attributes(), packet.content().length, inHand);
            }
        };
    }

    private synchronized boolean isOpen() {
        return state == State.OPEN;
    }

    private synchronized void requireOpen() {
        if (state != State.OPEN) {
            throw new IllegalStateException("The batch is over: it is " + state);
        }
    }

    @Override
    public long skipRest() {
        requireOpen();
        leave();
        iterated = true;
        final long skipped = packets.size() - (long) next;
        next = packets.size();
        return skipped;
    }

    private TransactionException notComplete() {
        return port.failure(
                TransactionStep.RECEIVE_PACKETS,
                FailureReason.CANCELLED,
                "The batch was closed or given up before it was complete");
    }

    @Override
    public synchronized void confirm() throws TransactionException {
        if (state == State.GIVEN_UP) {
            throw notComplete();
        }
        if (state == State.CONFIRMED) {
            return;
        }
        requireOpen();
        if (next < packets.size()) {
            throw new IllegalStateException(
                    "There are packets that were not read: iterate over all of them, or call skipRest()");
        }
        leave();
        state = State.CONFIRMED;
    }

    @Override
    public synchronized TransactionResult complete() throws TransactionException {
        if (state != State.COMPLETE) {
            confirm();
            state = State.COMPLETE;
            port.complete(packets);
        }
        return result();
    }

    private TransactionResult result() {
        return port.result(
                packets.size(),
                packets.stream().mapToLong(packet -> packet.content().length).sum(),
                false);
    }

    @Override
    public void close() {
        giveBack(State.CLOSED);
        leave();
    }

    /** NiFi keeps the packets, whatever the handler does from now on. Any thread. */
    void giveUp() {
        giveBack(State.GIVEN_UP);
    }

    private synchronized void giveBack(final State now) {
        if (state == State.OPEN || state == State.CONFIRMED) {
            state = now;
            port.giveBack(packets);
        }
    }

    private synchronized State state() {
        return state;
    }

    /** Has the batch handled, and completes it, or gives its packets back. */
    TransactionResult handle(final BatchHandler handler) throws TransactionException {
        try {
            handler.handle(this);
            return complete();
        } catch (final Throwable e) {
            return refused(e);
        } finally {
            // A handler that restores the flag, as every guide says, has returned all the same.
            Thread.interrupted();
        }
    }

    private TransactionResult refused(final Throwable thrown) throws TransactionException {
        final State before = state();
        close();
        return switch (before) {
            // The packets are delivered; the real one writes a warning.
            case COMPLETE -> result();
            case CLOSED, GIVEN_UP -> throw notComplete();
            case OPEN, CONFIRMED ->
                throw handlerFailed(thrown instanceof UncheckedIOException ? thrown.getCause() : thrown);
        };
    }

    private TransactionException handlerFailed(final Throwable cause) {
        return port
                .failure(
                        TransactionStep.RECEIVE_PACKETS,
                        FailureReason.HANDLER_FAILED,
                        "The handler refuses the batch: " + cause)
                .toBuilder()
                .cause(cause)
                .build();
    }
}
