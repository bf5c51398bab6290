// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.zip.CRC32;
import org.nios2s.client.FailureReason;
import org.nios2s.client.Packet;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.connection.ClientConnection;
import org.nios2s.client.internal.connection.Exchange;
import org.nios2s.wire.Checksum;
import org.nios2s.wire.LogText;
import org.nios2s.wire.PacketEncoder;
import org.nios2s.wire.ProtocolException;
import org.nios2s.wire.RequestType;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;

/**
 * The client's side of one push on one connection: request, packets, confirmation, end. Lives on the connection's IO worker.
 *
 * <p>One call at a time: {@link #send} until its future is complete, then the next, then {@link #confirm}, then
 * {@link #complete}. Every future completes on the IO worker; a failure closes the connection and fails whatever is
 * asked.
 */
public final class PushExchange implements Exchange, ContentPump.Target {
    /** Content up to this size is gathered with what stands before and behind it. */
    private static final int GATHERED_BYTES = 4_096;

    /** Content in memory above this size goes in pieces, as streams do: no packet may hold up an IO worker. */
    private static final int AT_ONCE_BYTES = 65_536;

    private static final int HEADER_BYTES = 512;
    private static final int FIRST_WITH_CHECKSUM = 4;

    private enum State {
        SENDING,
        /** The content of the next packet is opened; nothing of the packet is written. */
        OPENING,
        IN_PACKET,
        AWAITING_CONFIRM,
        AWAITING_FINISHED,
        FINISHED,
        FAILED
    }

    private final ClientConnection connection;
    private final Function<Packet, Map<String, String>> attributes;
    private final Consumer<TransactionException> onFailure;
    private final CRC32 checksum = new CRC32();
    private final CompletableFuture<Boolean> finished = new CompletableFuture<>();

    private State state = State.SENDING;
    private CompletableFuture<Void> pending;
    private TransactionException failure;
    private ContentPump pump;
    private Packet opening;
    private long given;
    private long packets;
    private long bytes;
    /** Written by the IO worker only. */
    private volatile long bytesWritten;

    /** @param attributes tells what is sent of each packet: its attributes, as they are or with an identifier */
    PushExchange(
            final ClientConnection connection,
            final Function<Packet, Map<String, String>> attributes,
            final Consumer<TransactionException> onFailure) {
        this.connection = connection;
        this.attributes = attributes;
        this.onFailure = onFailure;
    }

    /** Asks to push. */
    void begin() {
        connection.begin(this);
        RequestType.SEND_FLOWFILES.write(connection.gather());
    }

    long packets() {
        return packets;
    }

    long bytes() {
        return bytes;
    }

    /** @return bytes of streamed content that were written so far. Any thread */
    long bytesWritten() {
        return bytesWritten;
    }

    @Override
    public TransactionStep step() {
        return switch (state) {
            case SENDING, OPENING, IN_PACKET, FAILED -> TransactionStep.SEND_PACKETS;
            case AWAITING_CONFIRM -> TransactionStep.CONFIRM;
            case AWAITING_FINISHED, FINISHED -> TransactionStep.COMPLETE;
        };
    }

    /** Not while the next packet or more content is to come from our side. */
    @Override
    public boolean waitsForPeer() {
        return switch (state) {
            case SENDING -> pending != null;
            case OPENING -> false;
            case IN_PACKET -> pump.isWaitingForRoom();
            default -> true;
        };
    }

    /**
     * @return completed when the packet is written and there is room for another; fails while the exchange goes on if the content
     *     can't be read from the start
     */
    public CompletableFuture<Void> send(final Packet packet) {
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        require(State.SENDING);
        given++;
        final CompletableFuture<Void> sent = new CompletableFuture<>();
        pending = sent;
        if (packet.bytes() == null || packet.size() > AT_ONCE_BYTES) {
            state = State.OPENING;
            opening = packet;
            pump = new ContentPump(packet, connection, this);
            pump.start();
        } else {
            beginPacket(packet);
            writeContent(packet.bytes());
            endPacket();
        }
        return sent;
    }

    private void beginPacket(final Packet packet) {
        if (packets > 0) {
            ResponseMessage.write(connection.gather(), ResponseCode.CONTINUE_TRANSACTION);
        }
        packets++;
        bytes += packet.size();
        writeHeader(packet);
    }

    /** Its content is there: the packet's header can be written, which can't be taken back. */
    private void contentIsThere() {
        if (state == State.OPENING) {
            beginPacket(opening);
            opening = null;
            state = State.IN_PACKET;
        }
    }

    private void require(final State expected) {
        if (state != expected) {
            throw new IllegalStateException("The push is in state " + state + ", not " + expected);
        }
    }

    private void writeHeader(final Packet packet) {
        if (connection.port().compress()) {
            final ByteBuf header = connection.channel().alloc().buffer(HEADER_BYTES);
            try {
                PacketEncoder.writeHeader(header, attributes.apply(packet), packet.size());
                deflate(header);
            } finally {
                header.release();
            }
        } else {
            final ByteBuf out = connection.gather();
            final int from = out.writerIndex();
            PacketEncoder.writeHeader(out, attributes.apply(packet), packet.size());
            Checksum.update(checksum, out, from, out.writerIndex() - from);
        }
    }

    private void writeContent(final ByteBuffer content) {
        if (connection.port().compress()) {
            deflate(Unpooled.wrappedBuffer(content));
            return;
        }
        checksum.update(content.duplicate());
        if (content.remaining() <= GATHERED_BYTES) {
            connection.gather().writeBytes(content);
        } else {
            // Copied, as Netty would do before the socket: the caller's
            // bytes are his own again when the packet is sent.
            connection.write(connection
                    .channel()
                    .alloc()
                    .directBuffer(content.remaining())
                    .writeBytes(content));
        }
    }

    private void deflate(final ByteBuf plain) {
        Checksum.update(checksum, plain, plain.readerIndex(), plain.readableBytes());
        connection.deflater().deflate(plain, connection.gather());
    }

    @Override
    public boolean content(final ByteBuf piece) {
        contentIsThere();
        if (state != State.IN_PACKET) {
            piece.release();
            return false;
        }
        bytesWritten = bytesWritten + piece.readableBytes();
        if (connection.port().compress()) {
            try {
                deflate(piece);
            } finally {
                piece.release();
            }
        } else {
            Checksum.update(checksum, piece, piece.readerIndex(), piece.readableBytes());
            connection.write(piece);
        }
        connection.flush();
        return connection.channel().isWritable();
    }

    @Override
    public void contentEnds() {
        contentIsThere();
        if (state == State.IN_PACKET) {
            pump = null;
            state = State.SENDING;
            endPacket();
        }
    }

    /** In the middle of a packet there is no other way than to close. */
    @Override
    public void contentFailed(final Throwable cause) {
        if (state == State.OPENING) {
            pump = null;
            opening = null;
            state = State.SENDING;
            final CompletableFuture<Void> notSent = pending;
            pending = null;
            notSent.completeExceptionally(contentFailure(cause));
        } else if (state == State.IN_PACKET) {
            pump = null;
            connection.end(contentFailure(cause));
        }
    }

    private TransactionException contentFailure(final Throwable cause) {
        return connection
                .failing(FailureReason.CONTENT_FAILED)
                .message("The content of packet " + given + " can't be read: " + cause.getMessage())
                .cause(cause)
                .failedPacket((int) Math.min(given - 1, Integer.MAX_VALUE))
                .build();
    }

    /** @return whether it is over: a packet's failure may be another thing */
    boolean isFailed() {
        return failure != null;
    }

    private void endPacket() {
        if (connection.port().compress()) {
            connection.deflater().endPacket(connection.gather());
        }
        if (connection.channel().isWritable()) {
            completePending();
        } else {
            connection.flush();
            if (connection.channel().isWritable()) {
                completePending();
            }
        }
    }

    private void completePending() {
        final CompletableFuture<Void> done = pending;
        pending = null;
        if (done != null) {
            done.complete(null);
        }
    }

    @Override
    public void writable() {
        if (state == State.IN_PACKET) {
            pump.writable();
        } else if (state == State.SENDING) {
            completePending();
        }
    }

    /** @return completed when the peer has all packets, and both ends the same checksum */
    public CompletableFuture<Void> confirm() {
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        require(State.SENDING);
        pending = new CompletableFuture<>();
        final CompletableFuture<Void> confirmed = pending;
        state = State.AWAITING_CONFIRM;
        ResponseMessage.write(connection.gather(), ResponseCode.FINISH_TRANSACTION);
        connection.flush();
        return confirmed;
    }

    /** @return completed when the peer has taken the packets over; true if it says that it is full now */
    public CompletableFuture<Boolean> complete() {
        return finished;
    }

    @Override
    public void read(final ByteBuf in) throws ProtocolException, TransactionException {
        final ResponseMessage answer = ResponseMessage.readIfComplete(in);
        if (answer == null) {
            return;
        }
        switch (state) {
            case AWAITING_CONFIRM -> readConfirm(answer);
            case AWAITING_FINISHED -> readFinished(answer);
            default -> throw new ProtocolException("During a push the peer sent " + answer);
        }
    }

    private void readConfirm(final ResponseMessage answer) throws ProtocolException, TransactionException {
        if (answer.code() != ResponseCode.CONFIRM_TRANSACTION) {
            throw new ProtocolException("Expected CONFIRM_TRANSACTION, but the peer sent " + answer);
        }
        final String ours = String.valueOf(checksum.getValue());
        if (connection.protocolVersion() >= FIRST_WITH_CHECKSUM && !ours.equals(answer.message())) {
            ResponseMessage.write(connection.gather(), ResponseCode.BAD_CHECKSUM);
            throw connection.failure(
                    FailureReason.BAD_CHECKSUM,
                    "Sent bytes with CRC32 " + ours + ", while the peer calculated CRC32 Checksum as "
                            + LogText.of(answer.message()),
                    null);
        }
        ResponseMessage.write(connection.gather(), ResponseCode.CONFIRM_TRANSACTION, "");
        state = State.AWAITING_FINISHED;
        connection.flush();
        completePending();
    }

    private void readFinished(final ResponseMessage answer) throws ProtocolException {
        if (answer.code() != ResponseCode.TRANSACTION_FINISHED
                && answer.code() != ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL) {
            throw new ProtocolException("Expected TRANSACTION_FINISHED, but the peer sent " + answer);
        }
        state = State.FINISHED;
        connection.finish(this);
        finished.complete(answer.code() == ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL);
    }

    /** Leaves, with CANCEL_TRANSACTION where the peer expects it: between two packets. */
    void abandon(final TransactionException cause) {
        if ((state == State.SENDING || state == State.OPENING) && packets > 0) {
            connection.say(ResponseCode.CANCEL_TRANSACTION, Exchange.explanation(cause));
            connection.shutDown(cause);
        } else {
            connection.end(cause);
        }
    }

    @Override
    public void failed(final TransactionException cause) {
        state = State.FAILED;
        failure = cause;
        if (pump != null) {
            pump.stop();
            pump = null;
        }
        final CompletableFuture<Void> asked = pending;
        pending = null;
        finished.completeExceptionally(cause);
        if (asked != null) {
            asked.completeExceptionally(cause);
        }
        onFailure.accept(cause);
    }
}
