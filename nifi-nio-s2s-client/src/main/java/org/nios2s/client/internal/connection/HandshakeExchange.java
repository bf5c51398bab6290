// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.wire.HandshakeProperty;
import org.nios2s.wire.LogText;
import org.nios2s.wire.ModifiedUtf8;
import org.nios2s.wire.ProtocolException;
import org.nios2s.wire.RequestType;
import org.nios2s.wire.ResponseMessage;

/**
 * The opening of a new connection, until transactions can begin: magic, version of the protocol, handshake, codec. Lives
 * on the connection's IO worker.
 */
final class HandshakeExchange implements Exchange {
    private static final byte[] MAGIC = {'N', 'i', 'F', 'i'};
    private static final String PROTOCOL = "SocketFlowFileProtocol";
    private static final String CODEC = "StandardFlowFileCodec";
    /** NiFi reads it into an int. */
    private static final long MOST_EXPIRATION_MILLIS = Integer.MAX_VALUE;

    private static final int NEWEST_PROTOCOL = 6;
    private static final int FIRST_WITH_BATCH_LIMITS = 5;
    private static final int FIRST_WITH_TRANSIT_URI = 3;
    private static final int CODEC_VERSION = 1;

    private static final int RESOURCE_OK = 20;
    private static final int DIFFERENT_VERSION = 21;
    private static final int ABORT = 255;

    /** An alert of TLS begins with 21, too; the version of TLS follows, where a version of the protocol would be. */
    private static final int TLS_MAJOR_VERSION = 3;

    private static final int TLS_VERSION_SHIFT = 24;

    /** Hears how it went, once. */
    interface Listener {
        void opened(ClientConnection connection);

        void openingFailed(TransactionException failure);
    }

    private final Listener listener;
    private ClientConnection connection;
    private TransactionStep step = TransactionStep.NEGOTIATE_PROTOCOL;
    private int version = NEWEST_PROTOCOL;
    private boolean done;

    HandshakeExchange(final Listener listener) {
        this.listener = listener;
    }

    /** Says the first words. */
    void begin(final ClientConnection opened) throws ProtocolException {
        connection = opened;
        connection.gather().writeBytes(MAGIC);
        askForProtocol();
    }

    @Override
    public TransactionStep step() {
        return step;
    }

    @Override
    public void read(final ByteBuf in) throws ProtocolException, TransactionException {
        switch (step) {
            case NEGOTIATE_PROTOCOL -> readProtocolAnswer(in);
            case HANDSHAKE -> readHandshakeAnswer(in);
            case NEGOTIATE_CODEC -> readCodecAnswer(in);
            default -> throw new IllegalStateException("Nothing to read in step " + step);
        }
    }

    private void askForProtocol() throws ProtocolException {
        final ByteBuf out = connection.gather();
        ModifiedUtf8.write(out, PROTOCOL);
        out.writeInt(version);
        connection.flush();
    }

    private void readProtocolAnswer(final ByteBuf in) throws ProtocolException, TransactionException {
        switch (in.getUnsignedByte(in.readerIndex())) {
            case RESOURCE_OK:
                in.skipBytes(1);
                connection.protocolVersion(version);
                step = TransactionStep.HANDSHAKE;
                writeHandshake();
                break;
            case DIFFERENT_VERSION:
                if (in.readableBytes() >= 1 + Integer.BYTES) {
                    in.skipBytes(1);
                    takeOtherVersion(in.readInt());
                }
                break;
            case ABORT:
                throw new ProtocolException("The peer supports none of the protocol versions up to " + version);
            default:
                throw new ProtocolException(
                        "The peer does not speak RAW Site-to-Site: its first byte is " + in.readUnsignedByte());
        }
    }

    private void takeOtherVersion(final int preferred) throws ProtocolException, TransactionException {
        if (preferred >>> TLS_VERSION_SHIFT == TLS_MAJOR_VERSION) {
            throw connection.failure(
                    FailureReason.TLS_FAILED, "The peer speaks TLS, and this client has none: set tls(…)", null);
        }
        if (preferred < 1 || preferred >= version) {
            throw new ProtocolException("Asked for protocol version " + version + ", the peer prefers " + preferred);
        }
        version = preferred;
        askForProtocol();
    }

    private void writeHandshake() throws ProtocolException {
        final ByteBuf out = connection.gather();
        connection.commsId(UUID.randomUUID().toString());
        ModifiedUtf8.write(out, connection.commsId());
        if (version >= FIRST_WITH_TRANSIT_URI) {
            ModifiedUtf8.write(out, connection.port().url());
        }
        final Map<HandshakeProperty, String> properties = properties(connection.port());
        out.writeInt(properties.size());
        for (final Map.Entry<HandshakeProperty, String> property : properties.entrySet()) {
            ModifiedUtf8.write(out, property.getKey().name());
            ModifiedUtf8.write(out, property.getValue());
        }
        connection.flush();
    }

    private Map<HandshakeProperty, String> properties(final Endpoint port) {
        final Map<HandshakeProperty, String> properties = new LinkedHashMap<>();
        properties.put(HandshakeProperty.GZIP, String.valueOf(port.compress()));
        if (port.hasPortIdentifier()) {
            properties.put(HandshakeProperty.PORT_IDENTIFIER, port.portIdentifier());
        }
        properties.put(HandshakeProperty.REQUEST_EXPIRATION_MILLIS, String.valueOf(millis(port.requestExpiration())));
        if (version >= FIRST_WITH_BATCH_LIMITS) {
            final BatchLimits limits = port.batchLimits();
            putLimit(properties, HandshakeProperty.BATCH_COUNT, limits.maxPackets());
            putLimit(properties, HandshakeProperty.BATCH_SIZE, limits.maxBytes());
            putLimit(properties, HandshakeProperty.BATCH_DURATION, millis(limits.maxDuration()));
        }
        return properties;
    }

    /** NiFi keeps such a time in 32 bits. */
    private static long millis(final Duration time) {
        return Math.min(TimeUnit.MILLISECONDS.convert(time), MOST_EXPIRATION_MILLIS);
    }

    private static void putLimit(
            final Map<HandshakeProperty, String> properties, final HandshakeProperty name, final long limit) {
        if (limit > 0) {
            properties.put(name, String.valueOf(limit));
        }
    }

    private void readHandshakeAnswer(final ByteBuf in) throws ProtocolException, TransactionException {
        final ResponseMessage answer = ResponseMessage.readIfComplete(in);
        if (answer == null) {
            return;
        }
        switch (answer.code()) {
            case PROPERTIES_OK -> handshakeDone();
            case UNKNOWN_PORT -> throw refused(FailureReason.UNKNOWN_PORT, "The peer knows no such port");
            case PORT_NOT_IN_VALID_STATE -> throw refused(FailureReason.PORT_NOT_RUNNING, LogText.of(answer.message()));
            case PORTS_DESTINATION_FULL ->
                throw refused(FailureReason.DESTINATION_FULL, "What the port leads to is full");
            case UNAUTHORIZED -> throw refused(FailureReason.UNAUTHORIZED, LogText.of(answer.message()));
            case UNKNOWN_PROPERTY_NAME, ILLEGAL_PROPERTY_VALUE, MISSING_PROPERTY, ABORT ->
                throw refused(FailureReason.REFUSED, answer.toString());
            default -> throw new ProtocolException("The peer answers the handshake with " + answer);
        }
    }

    private TransactionException refused(final FailureReason reason, final String message) {
        return connection.failure(reason, message, null);
    }

    private void handshakeDone() throws ProtocolException {
        if (!connection.port().hasPortIdentifier()) {
            done();
            return;
        }
        step = TransactionStep.NEGOTIATE_CODEC;
        final ByteBuf out = connection.gather();
        RequestType.NEGOTIATE_FLOWFILE_CODEC.write(out);
        ModifiedUtf8.write(out, CODEC);
        out.writeInt(CODEC_VERSION);
        connection.flush();
    }

    private void readCodecAnswer(final ByteBuf in) throws ProtocolException {
        final int answer = in.readUnsignedByte();
        if (answer != RESOURCE_OK) {
            throw new ProtocolException(
                    "The peer does not take packets of " + CODEC + " " + CODEC_VERSION + " but answers " + answer);
        }
        done();
    }

    /** The time for opening is over. */
    void timedOut(final Duration timeout) {
        if (!done) {
            connection.end(connection.failure(
                    FailureReason.CONNECT_FAILED, "The connection was not ready after " + timeout, null));
        }
    }

    private void done() {
        done = true;
        connection.finish(this);
        listener.opened(connection);
    }

    @Override
    public void failed(final TransactionException failure) {
        done = true;
        listener.openingFailed(failure);
    }
}
