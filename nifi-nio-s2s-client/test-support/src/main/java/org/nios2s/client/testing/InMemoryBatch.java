// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
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

/** Packets of a port in memory, with the rules of a real batch. Belongs to one thread at a time. */
final class InMemoryBatch implements ReceivedBatch {
    private enum State {
        OPEN,
        CONFIRMED,
        COMPLETE,
        CLOSED
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
                return state == State.OPEN && next < packets.size();
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

    private void requireOpen() {
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

    @Override
    public void confirm() {
        if (state == State.CONFIRMED) {
            return;
        }
        requireOpen();
        if (next < packets.size()) {
            throw new IllegalStateException(
                    "There are packets that were not read: iterate over all of them, or say skipRest()");
        }
        leave();
        state = State.CONFIRMED;
    }

    @Override
    public TransactionResult complete() {
        if (state != State.COMPLETE) {
            confirm();
            state = State.COMPLETE;
            port.complete(packets);
        }
        return port.result(
                packets.size(),
                packets.stream().mapToLong(packet -> packet.content().length).sum(),
                false);
    }

    @Override
    public void close() {
        if (state != State.COMPLETE && state != State.CLOSED) {
            state = State.CLOSED;
            leave();
            port.giveBack(packets);
        }
    }

    /** Has the batch handled, and completes it, or gives its packets back. */
    TransactionResult handle(final BatchHandler handler) throws TransactionException {
        try {
            handler.handle(this);
            return complete();
        } catch (final Exception | Error e) {
            close();
            throw port
                    .failure(
                            TransactionStep.RECEIVE_PACKETS,
                            FailureReason.HANDLER_FAILED,
                            "The handler refuses the batch: " + e)
                    .toBuilder()
                    .cause(e)
                    .build();
        }
    }
}
