// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.nios2s.harness.load.FailureCause;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.LoadSettings.Shape;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.wire.Checksum;
import org.nios2s.wire.HandshakeProperty;
import org.nios2s.wire.ModifiedUtf8;
import org.nios2s.wire.PacketEncoder;
import org.nios2s.wire.ProtocolException;
import org.nios2s.wire.RequestType;
import org.nios2s.wire.ResponseCode;
import org.nios2s.wire.ResponseMessage;

/**
 * The peer's side of one RAW connection: magic, protocol, handshake, codec, then one push transaction after the other.
 * Lives on the connection's event loop, as do all calls to its listener; after a failure it closes and says so once.
 */
final class WireConversation extends ByteToMessageDecoder {

    private static final byte[] MAGIC = "NiFi".getBytes(StandardCharsets.US_ASCII);
    private static final String PROTOCOL = "SocketFlowFileProtocol";
    private static final int PROTOCOL_VERSION = 6;
    private static final String CODEC = "StandardFlowFileCodec";
    private static final int CODEC_VERSION = 1;
    private static final int RESOURCE_OK = 20;
    private static final int RESOURCE_OTHER_VERSION = 21;
    private static final int HANDSHAKE_PROPERTIES = 3;

    /** Behind a peer's name: its port, whether it is secured, how many FlowFiles it has. */
    private static final int PEER_BYTES = Integer.BYTES + 1 + Integer.BYTES;

    /** The message that the conversation waits for. */
    private enum Step {
        CONNECT("connecting"),
        NEGOTIATE_PROTOCOL("negotiating the protocol"),
        HANDSHAKE("shaking hands"),
        NEGOTIATE_CODEC("negotiating the codec"),
        READY("idle"),
        SEND("sending"),
        CONFIRM("waiting for CONFIRM_TRANSACTION"),
        FINISH("waiting for TRANSACTION_FINISHED"),
        ASK("waiting for MORE_DATA"),
        PEERS("waiting for the list of peers"),
        PACKET("receiving"),
        BETWEEN_PACKETS("receiving"),
        AGREE("waiting for CONFIRM_TRANSACTION of a pull"),
        CLOSED("closed");

        private final String words;

        Step(final String words) {
            this.words = words;
        }
    }

    /** Hears how the conversation goes, on the event loop. */
    interface Listener {
        /** The connection is ready for its first transaction. */
        void onReady();

        /** The socket takes more of a packet that is sent in pieces. */
        default void onWritable() {}

        /** All packets of the transaction have been handed to the socket. */
        default void onSent() {}

        /** The server's checksum is ours. */
        default void onConfirmed() {}

        /** The nodes of the server's cluster, itself among them. */
        default void onPeers(final List<TargetAddress> peers) {}

        /** The output port has nothing at this moment; another transaction may be asked for. */
        default void onNothing() {}

        /** The server has finished the transaction; the connection is ready for the next. */
        default void onFinished(final boolean destinationFull) {}

        /** The connection is over, and with it the transaction in flight if there is one. */
        void onFailure(String cause);

        /** There is no connection: nobody listens there, or nobody answers in time. */
        default void onNotConnected(final String cause) {
            onFailure(cause);
        }
    }

    private final TargetAddress target;
    private final long timeoutNanos;
    private final boolean gzip;
    private final int batch;
    private final Listener listener;
    private final CRC32 checksum = new CRC32();
    private ChannelHandlerContext context;
    private Step step = Step.CONNECT;
    private long waitingSince;
    private boolean timerArmed;
    private boolean sent;
    private PulledPackets pulled;

    /** A conversation for transactions of this shape, for no longer than a timeout in any step. */
    WireConversation(final TargetAddress target, final Duration timeout, final Shape shape, final Listener listener) {
        this.target = target;
        this.timeoutNanos = timeout.toNanos();
        this.gzip = shape.gzip();
        this.batch = shape.direction() == Direction.PULL ? shape.packets() : 0;
        this.listener = listener;
    }

    TargetAddress target() {
        return target;
    }

    /** @return whether a transaction can begin */
    boolean isReady() {
        return step == Step.READY && context.channel().isActive();
    }

    void send(final TransactionWriter writer, final int client, final int transaction) {
        checksum.reset();
        sent = false;
        enter(Step.CONFIRM);
        try {
            final ByteBuf rest = writer.write(context, client, transaction, checksum);
            context.writeAndFlush(rest).addListener(written -> {
                if (written.isSuccess()) {
                    noteSent();
                } else {
                    fail(FailureCause.of("sending", written.cause()));
                }
            });
        } catch (final ProtocolException e) {
            fail(FailureCause.of("sending", e));
        }
    }

    void askForPeers() {
        request(RequestType.REQUEST_PEER_LIST, Step.PEERS);
    }

    private void request(final RequestType type, final Step next) {
        enter(next);
        context.writeAndFlush(requesting(type), context.voidPromise());
    }

    private ByteBuf requesting(final RequestType type) {
        final ByteBuf out = context.alloc().buffer();
        try {
            ModifiedUtf8.write(out, type.name());
        } catch (final ProtocolException e) {
            throw new IllegalStateException("a constant of the protocol does not fit the protocol", e);
        }
        return out;
    }

    void receive() {
        if (pulled == null) {
            pulled = new PulledPackets(gzip);
        }
        pulled.reset();
        sent = false;
        request(RequestType.RECEIVE_FLOWFILES, Step.ASK);
    }

    /** The packets of the last transaction that was received. */
    PulledPackets received() {
        return pulled;
    }

    /** Begins a transaction of one packet, whose content follows in pieces. */
    void beginPacket(final Map<String, String> attributes, final long length) {
        checksum.reset();
        sent = false;
        enter(Step.SEND);
        final ByteBuf out = requesting(RequestType.SEND_FLOWFILES);
        final int from = out.writerIndex();
        PacketEncoder.writeHeader(out, attributes, length);
        Checksum.update(checksum, out, from, out.writerIndex() - from);
        context.writeAndFlush(out, context.voidPromise());
    }

    void sendPiece(final ByteBuf piece) {
        waitingSince = System.nanoTime();
        Checksum.update(checksum, piece, piece.readerIndex(), piece.readableBytes());
        context.writeAndFlush(piece, context.voidPromise());
    }

    /** @return whether the socket takes more */
    boolean isWritable() {
        return step == Step.SEND && context.channel().isWritable();
    }

    /** Whether a packet is sent in pieces, and not all of it was. */
    boolean isSending() {
        return step == Step.SEND;
    }

    /** All of the packet's content was sent: ends the transaction. */
    void finish() {
        enter(Step.CONFIRM);
        respond(ResponseCode.FINISH_TRANSACTION);
    }

    void notConnected(final Throwable cause) {
        if (step != Step.CLOSED) {
            step = Step.CLOSED;
            listener.onNotConnected(FailureCause.of("connecting", cause));
        }
    }

    /** Takes leave of the server and closes, without telling the listener. */
    void shutDown() {
        final Step last = step;
        step = Step.CLOSED;
        if (context != null && last != Step.CLOSED) {
            if (last == Step.READY) {
                context.writeAndFlush(requesting(RequestType.SHUTDOWN));
            }
            context.close();
        }
    }

    @Override
    public void handlerAdded(final ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelActive(final ChannelHandlerContext active) throws ProtocolException {
        if (step == Step.CLOSED) {
            active.close();
            return;
        }
        final SslHandler tls = active.pipeline().get(SslHandler.class);
        if (tls == null) {
            greet();
        } else {
            enter(Step.CONNECT);
            tls.handshakeFuture().addListener(done -> {
                if (done.isSuccess()) {
                    greet();
                } else {
                    fail(FailureCause.of("shaking hands for TLS", done.cause()));
                }
            });
        }
    }

    @Override
    protected void decode(final ChannelHandlerContext reading, final ByteBuf in, final List<Object> out)
            throws ProtocolException {
        switch (step) {
            case NEGOTIATE_PROTOCOL -> {
                requireAccepted(in, PROTOCOL);
                shakeHands();
            }
            case NEGOTIATE_CODEC -> {
                requireAccepted(in, CODEC);
                step = Step.READY;
                listener.onReady();
            }
            case HANDSHAKE, CONFIRM, FINISH, ASK, BETWEEN_PACKETS, AGREE -> hear(in);
            case PEERS -> readPeers(in);
            case PACKET -> {
                waitingSince = System.nanoTime();
                if (pulled.decode(in)) {
                    step = Step.BETWEEN_PACKETS;
                }
            }
            case CLOSED -> in.skipBytes(in.readableBytes());
            default -> throw new ProtocolException("the server sends bytes unasked");
        }
    }

    @Override
    public void channelWritabilityChanged(final ChannelHandlerContext changed) {
        if (isWritable()) {
            listener.onWritable();
        }
        changed.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(final ChannelHandlerContext inactive) throws Exception {
        super.channelInactive(inactive);
        fail("connection closed by the server while " + step.words);
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext caught, final Throwable cause) {
        final Throwable inner =
                cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        fail(FailureCause.of(step.words, inner));
    }

    private void greet() throws ProtocolException {
        final ByteBuf out = context.alloc().buffer();
        out.writeBytes(MAGIC);
        ModifiedUtf8.write(out, PROTOCOL);
        out.writeInt(PROTOCOL_VERSION);
        enter(Step.NEGOTIATE_PROTOCOL);
        context.writeAndFlush(out);
    }

    private static void requireAccepted(final ByteBuf in, final String resource) throws ProtocolException {
        final int answer = in.readUnsignedByte();
        if (answer == RESOURCE_OTHER_VERSION) {
            throw new ProtocolException("the server wants another version of " + resource);
        }
        if (answer != RESOURCE_OK) {
            throw new ProtocolException("the server refuses " + resource);
        }
    }

    private void respond(final ResponseCode code) {
        context.writeAndFlush(ResponseMessage.encoded(code), context.voidPromise());
    }

    private void confirm(final String message) throws ProtocolException {
        final ByteBuf out = context.alloc().buffer();
        ResponseMessage.write(out, ResponseCode.CONFIRM_TRANSACTION, message);
        context.writeAndFlush(out, context.voidPromise());
    }

    private void shakeHands() throws ProtocolException {
        final ByteBuf out = context.alloc().buffer();
        ModifiedUtf8.write(out, UUID.randomUUID().toString());
        ModifiedUtf8.write(out, "nifi://" + target.host() + ":" + target.port());
        out.writeInt(batch == 0 ? HANDSHAKE_PROPERTIES : HANDSHAKE_PROPERTIES + 1);
        writeProperty(out, HandshakeProperty.GZIP, Boolean.toString(gzip));
        writeProperty(out, HandshakeProperty.PORT_IDENTIFIER, target.portId());
        final long millis = TimeUnit.NANOSECONDS.toMillis(timeoutNanos);
        writeProperty(out, HandshakeProperty.REQUEST_EXPIRATION_MILLIS, Long.toString(millis));
        if (batch != 0) {
            writeProperty(out, HandshakeProperty.BATCH_COUNT, Integer.toString(batch));
        }
        enter(Step.HANDSHAKE);
        context.writeAndFlush(out);
    }

    private static void writeProperty(final ByteBuf out, final HandshakeProperty name, final String value)
            throws ProtocolException {
        ModifiedUtf8.write(out, name.name());
        ModifiedUtf8.write(out, value);
    }

    /** A response is all that is waited for. */
    private void hear(final ByteBuf in) throws ProtocolException {
        final ResponseMessage answer = ResponseMessage.readIfComplete(in);
        if (answer != null) {
            switch (step) {
                case HANDSHAKE -> negotiateCodec(answer);
                case CONFIRM -> compareChecksums(answer);
                case FINISH -> finishPush(answer);
                case ASK -> beginPull(answer);
                case BETWEEN_PACKETS -> endPacket(answer);
                case AGREE -> finishPull(answer);
                default -> throw new IllegalStateException("no response is waited for while " + step.words);
            }
        }
    }

    private static void require(final ResponseCode wanted, final ResponseMessage answer) throws ProtocolException {
        if (answer.code() != wanted) {
            throw new ProtocolException(answer.toString());
        }
    }

    private void negotiateCodec(final ResponseMessage answer) throws ProtocolException {
        require(ResponseCode.PROPERTIES_OK, answer);
        final ByteBuf out = requesting(RequestType.NEGOTIATE_FLOWFILE_CODEC);
        ModifiedUtf8.write(out, CODEC);
        out.writeInt(CODEC_VERSION);
        enter(Step.NEGOTIATE_CODEC);
        context.writeAndFlush(out);
    }

    private void compareChecksums(final ResponseMessage answer) throws ProtocolException {
        require(ResponseCode.CONFIRM_TRANSACTION, answer);
        if (!Long.toString(checksum.getValue()).equals(answer.message())) {
            respond(ResponseCode.BAD_CHECKSUM);
            throw new ProtocolException("the server's checksum differs");
        }
        noteSent();
        enter(Step.FINISH);
        listener.onConfirmed();
        confirm("");
    }

    private void finishPush(final ResponseMessage answer) throws ProtocolException {
        final boolean full = answer.code() == ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL;
        if (!full) {
            require(ResponseCode.TRANSACTION_FINISHED, answer);
        }
        step = Step.READY;
        listener.onFinished(full);
    }

    private void readPeers(final ByteBuf in) throws ProtocolException {
        final ByteBuf all = in.duplicate();
        if (all.readableBytes() < Integer.BYTES) {
            return;
        }
        final List<TargetAddress> peers = new ArrayList<>();
        for (int left = all.readInt(); left > 0; left--) {
            final String host = ModifiedUtf8.readIfComplete(all);
            if (host == null || all.readableBytes() < PEER_BYTES) {
                return;
            }
            peers.add(new TargetAddress(host, all.readInt(), target.portId(), target.api()));
            all.skipBytes(PEER_BYTES - Integer.BYTES);
        }
        in.readerIndex(all.readerIndex());
        step = Step.READY;
        listener.onPeers(peers);
    }

    private void beginPull(final ResponseMessage answer) throws ProtocolException {
        if (answer.code() == ResponseCode.NO_MORE_DATA) {
            step = Step.READY;
            listener.onNothing();
        } else {
            require(ResponseCode.MORE_DATA, answer);
            enter(Step.PACKET);
        }
    }

    private void endPacket(final ResponseMessage answer) throws ProtocolException {
        if (answer.code() == ResponseCode.CONTINUE_TRANSACTION) {
            enter(Step.PACKET);
        } else {
            require(ResponseCode.FINISH_TRANSACTION, answer);
            noteSent();
            enter(Step.AGREE);
            confirm(Long.toString(pulled.checksum()));
        }
    }

    private void finishPull(final ResponseMessage answer) throws ProtocolException {
        require(ResponseCode.CONFIRM_TRANSACTION, answer);
        listener.onConfirmed();
        respond(ResponseCode.TRANSACTION_FINISHED);
        step = Step.READY;
        listener.onFinished(false);
    }

    /** The answer may arrive before the event loop has said that the last byte was written: the first of both counts. */
    private void noteSent() {
        if (!sent) {
            sent = true;
            listener.onSent();
        }
    }

    private void enter(final Step next) {
        step = next;
        waitingSince = System.nanoTime();
        if (!timerArmed) {
            timerArmed = true;
            context.executor().schedule(this::checkTime, timeoutNanos, TimeUnit.NANOSECONDS);
        }
    }

    /** One timer serves all steps of a connection: it looks when the current one began. */
    private void checkTime() {
        timerArmed = false;
        if (step == Step.READY || step == Step.CLOSED) {
            return;
        }
        final long left = waitingSince + timeoutNanos - System.nanoTime();
        if (left <= 0) {
            fail("time-out while " + step.words);
        } else {
            timerArmed = true;
            context.executor().schedule(this::checkTime, left, TimeUnit.NANOSECONDS);
        }
    }

    private void fail(final String cause) {
        if (step == Step.CLOSED) {
            return;
        }
        step = Step.CLOSED;
        context.close();
        listener.onFailure(cause);
    }
}
