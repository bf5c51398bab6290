// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.connection.ClientConnection;
import org.nios2s.client.internal.connection.Exchange;
import org.nios2s.wire.PacketDecoder;
import org.nios2s.wire.PacketReader;
import org.nios2s.wire.ProtocolException;
import org.nios2s.wire.RequestType;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's side of one pull on one connection: request, packets, confirmation, end. Lives on the connection's IO worker; packets leave through
 * a {@link PacketQueue}.
 */
public final class PullExchange implements Exchange, PacketDecoder.Handler {
    /** Names and values of one packet together. */
    private static final int MOST_ATTRIBUTE_BYTES = 64 << 20;
    /** Of the request expiration: what both ends' clocks and the way may take. */
    private static final int CLOCK_SLACK_PART = 20;

    private enum State {
        REQUESTED,
        IN_PACKET,
        BETWEEN_PACKETS,
        RECEIVED,
        AWAITING_CONFIRM,
        CONFIRMED,
        FINISHING,
        FINISHED,
        FAILED
    }

    private static final Logger logger = LoggerFactory.getLogger(PullExchange.class);

    private final ClientConnection connection;
    private final Consumer<TransactionException> onFailure;
    private final PacketQueue queue;
    private final PacketDecoder decoder = new PacketDecoder(this, MOST_ATTRIBUTE_BYTES);
    private final PacketReader reader;
    private final CompletableFuture<Boolean> available = new CompletableFuture<>();

    private State state = State.REQUESTED;
    /** Whether the packet under way is there, and only the rest of its chunk is missing. */
    private boolean packetRead;

    private CompletableFuture<Void> pending;
    private TransactionException failure;
    private long packets;
    private long bytes;
    private long begunNanos;

    public PullExchange(final ClientConnection connection, final Consumer<TransactionException> onFailure) {
        this.connection = connection;
        this.onFailure = onFailure;
        this.queue = new PacketQueue(this::roomAgain);
        this.reader = new PacketReader(
                decoder, connection.port().compress(), connection.channel().alloc(), queue::isFull);
    }

    /** On the receiver's thread. */
    private void roomAgain() {
        try {
            connection.execute(() -> connection.resumeReading(this));
        } catch (final RejectedExecutionException e) {
            // The engine is closed: its end fails the queue, which tells the receiver.
            logger.debug("Reading from {} does not go on", connection.port().peer(), e);
        }
    }

    @Override
    public boolean wantsBytes() {
        return !queue.isFull();
    }

    /** While packets come: unless they lie in the queue, where the receiver is to take them. */
    @Override
    public boolean waitsForPeer() {
        return state != State.RECEIVED && state != State.CONFIRMED && state != State.FINISHING && queue.isEmpty();
    }

    /** Asks for packets. */
    public void begin() {
        connection.begin(this);
        RequestType.RECEIVE_FLOWFILES.write(connection.gather());
        connection.flush();
    }

    /** @return where the packets come out */
    public PacketQueue queue() {
        return queue;
    }

    /** @return completed with whether the peer has packets for us */
    CompletableFuture<Boolean> available() {
        return available;
    }

    public long packets() {
        return packets;
    }

    long bytes() {
        return bytes;
    }

    @Override
    public TransactionStep step() {
        return switch (state) {
            // Until we say TRANSACTION_FINISHED, the peer keeps the packets: that outcome is known.
            case AWAITING_CONFIRM, CONFIRMED -> TransactionStep.CONFIRM;
            case FINISHING, FINISHED -> TransactionStep.COMPLETE;
            default -> TransactionStep.RECEIVE_PACKETS;
        };
    }

    @Override
    public void read(final ByteBuf in) throws ProtocolException, TransactionException {
        State before;
        do {
            before = state;
            readOne(in);
            // Bytes that are inflated already may end a packet without a byte being read.
        } while (state != before && in.isReadable() && !queue.isFull());
    }

    private void readOne(final ByteBuf in) throws ProtocolException, TransactionException {
        if (!in.isReadable() && state != State.IN_PACKET) {
            return;
        }
        switch (state) {
            case REQUESTED -> readAvailability(in);
            case IN_PACKET -> readPacket(in);
            case BETWEEN_PACKETS -> readContinuation(in);
            case AWAITING_CONFIRM -> readConfirmation(in);
            default -> throw new ProtocolException("The peer sent more data behind the last packet, in state " + state);
        }
    }

    private void readAvailability(final ByteBuf in) throws ProtocolException {
        final ResponseMessage answer = ResponseMessage.readIfComplete(in);
        if (answer == null) {
            return;
        }
        switch (answer.code()) {
            case MORE_DATA:
                state = State.IN_PACKET;
                begunNanos = System.nanoTime();
                available.complete(true);
                break;
            case NO_MORE_DATA:
                state = State.FINISHED;
                connection.finish(this);
                reader.close();
                queue.finish();
                available.complete(false);
                break;
            default:
                throw new ProtocolException("Asked for packets, but the peer answered " + answer);
        }
    }

    private void readPacket(final ByteBuf in) throws ProtocolException {
        do {
            packetRead = packetRead || reader.readPacket(in);
            if (packetRead && reader.finishPacket(in)) {
                packetRead = false;
                state = State.BETWEEN_PACKETS;
            }
        } while (state == State.IN_PACKET && reader.hasPaused() && !queue.isFull());
    }

    private void readContinuation(final ByteBuf in) throws ProtocolException {
        final ResponseMessage answer = ResponseMessage.readIfComplete(in);
        if (answer == null) {
            return;
        }
        switch (answer.code()) {
            case CONTINUE_TRANSACTION:
                state = State.IN_PACKET;
                break;
            case FINISH_TRANSACTION:
                state = State.RECEIVED;
                reader.close();
                queue.finish();
                break;
            default:
                throw new ProtocolException("Between two packets the peer sent " + answer);
        }
    }

    @Override
    public void packetBegins(final Map<String, String> attributes, final long contentLength) {
        packets++;
        bytes += contentLength;
        queue.begin(attributes, contentLength, decoder.heldBytes());
    }

    @Override
    public void content(final ByteBuf in, final int length) {
        // The next bytes overwrite the inflated ones, and the receiver reads later.
        queue.content(connection.port().compress() ? in.readBytes(length) : in.readRetainedSlice(length));
    }

    @Override
    public void packetEnds() {
        queue.endPacket();
    }

    /** @return completed when the peer has agreed that we received what it sent */
    public CompletableFuture<Void> confirm() {
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        if (state != State.RECEIVED) {
            return CompletableFuture.failedFuture(new IllegalStateException("The pull is in state " + state));
        }
        pending = new CompletableFuture<>();
        state = State.AWAITING_CONFIRM;
        connection.say(ResponseCode.CONFIRM_TRANSACTION, String.valueOf(decoder.checksum()));
        connection.flush();
        return pending;
    }

    private void readConfirmation(final ByteBuf in) throws ProtocolException, TransactionException {
        final ResponseMessage answer = ResponseMessage.readIfComplete(in);
        if (answer == null) {
            return;
        }
        if (answer.code() == ResponseCode.BAD_CHECKSUM) {
            throw connection.failure(
                    FailureReason.BAD_CHECKSUM,
                    "Received a BadChecksum response: the bytes that arrived have CRC32 " + decoder.checksum(),
                    null);
        }
        if (answer.code() != ResponseCode.CONFIRM_TRANSACTION) {
            throw new ProtocolException("Expected CONFIRM_TRANSACTION, but the peer sent " + answer);
        }
        state = State.CONFIRMED;
        final CompletableFuture<Void> confirmed = pending;
        pending = null;
        confirmed.complete(null);
    }

    /** @return completed when the peer has been told that it may forget the packets */
    public CompletableFuture<Void> complete() {
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        if (state != State.CONFIRMED) {
            return CompletableFuture.failedFuture(new IllegalStateException("The pull is in state " + state));
        }
        pending = new CompletableFuture<>();
        final CompletableFuture<Void> completed = pending;
        state = State.FINISHING;
        ResponseMessage.write(connection.gather(), ResponseCode.TRANSACTION_FINISHED);
        connection.flushed().addListener(written -> {
            if (written.isSuccess() && state == State.FINISHING) {
                state = State.FINISHED;
                connection.finish(this);
                pending = null;
                completed.complete(null);
            } else if (state == State.FINISHING) {
                connection.end(connection.failure(
                        FailureReason.CONNECTION_LOST, "The end of the pull can't be written", written.cause()));
            }
        });
        return completed;
    }

    /** Leaves, with CANCEL_TRANSACTION if the peer waits for a word of ours. */
    void abandon(final TransactionException cause) {
        if (state == State.RECEIVED) {
            connection.say(ResponseCode.CANCEL_TRANSACTION, Exchange.explanation(cause));
            connection.shutDown(cause);
        } else {
            connection.end(cause);
        }
    }

    @Override
    public void failed(final TransactionException lost) {
        final TransactionException cause = explain(lost);
        state = State.FAILED;
        failure = cause;
        reader.close();
        queue.fail(cause);
        available.completeExceptionally(cause);
        final CompletableFuture<Void> asked = pending;
        pending = null;
        if (asked != null) {
            asked.completeExceptionally(cause);
        }
        onFailure.accept(cause);
    }

    /** A peer that has given everything, and waited for us longer than it was told to, closes without a word. */
    private TransactionException explain(final TransactionException lost) {
        final boolean ourTurn = state == State.RECEIVED || state == State.AWAITING_CONFIRM || state == State.CONFIRMED;
        if (!ourTurn || lost.reason() != FailureReason.CONNECTION_LOST) {
            return lost;
        }
        final Duration taken = Duration.ofNanos(System.nanoTime() - begunNanos);
        final Duration expiration = connection.port().requestExpiration();
        if (taken.compareTo(expiration.minus(expiration.dividedBy(CLOCK_SLACK_PART))) < 0) {
            return lost;
        }
        return connection
                .failing(step(), FailureReason.HANDLER_TOO_SLOW)
                .message("The peer closed the connection " + taken
                        + " after the batch began, and was told to wait for " + expiration
                        + ": the handler takes too long. Raise requestExpiration, or lower batchLimits")
                .cause(lost)
                .build();
    }
}
