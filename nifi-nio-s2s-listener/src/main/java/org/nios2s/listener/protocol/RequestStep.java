// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.function.Function;
import org.apache.nifi.connectable.ConnectableType;
import org.apache.nifi.remote.PublicPort;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.listener.pull.AwaitFlowFilesStep;
import org.nios2s.listener.push.AdmitTransactionStep;
import org.nios2s.wire.ModifiedUtf8;
import org.nios2s.wire.RequestType;

/**
 * The peer sends its next request, or leaves. Lives on the connection's IO worker.
 *
 * <p>Nothing is under way here, so this is where a listener that drains closes the connection. A request that is on its way
 * comes to nothing, and its peer knows that: it has neither confirmed a push nor seen a FlowFile of a pull.
 */
record RequestStep(PeerConnection connection, PeerList peers) implements Step {
    @Override
    public Step begin() {
        if (connection.isDraining()) {
            return connection.closing();
        }
        return this;
    }

    @Override
    public Step receive(final ByteBuf in) throws IOException {
        final String name = ModifiedUtf8.readIfComplete(in, VersionedName.MAX_NAME_BYTES);
        if (name == null) {
            return this;
        }
        if (connection.isDraining()) {
            return connection.closing();
        }
        return switch (requestType(name)) {
            case NEGOTIATE_FLOWFILE_CODEC -> new NegotiateCodecStep(connection, connection.port() == null);
            case REQUEST_PEER_LIST -> new PeerListStep(connection, peers);
            case SEND_FLOWFILES -> atPort(ConnectableType.INPUT_PORT, name, AdmitTransactionStep::new);
            case RECEIVE_FLOWFILES -> atPort(ConnectableType.OUTPUT_PORT, name, AwaitFlowFilesStep::new);
            case SHUTDOWN -> connection.closing();
        };
    }

    private static RequestType requestType(final String name) throws ConnectionFault {
        try {
            return RequestType.valueOf(name);
        } catch (final IllegalArgumentException e) {
            throw Kind.UNKNOWN_REQUEST.fault("The peer sends the unknown request '" + name + "'");
        }
    }

    private Step atPort(
            final ConnectableType type, final String request, final Function<PeerConnection, Step> transaction)
            throws ConnectionFault {
        final PublicPort port = connection.port();
        if (port == null) {
            throw Kind.UNEXPECTED_REQUEST.fault(
                    "The peer sends " + request + " although it named no port in its handshake");
        }
        if (port.getConnectableType() != type) {
            throw Kind.UNEXPECTED_REQUEST.fault(
                    "The peer sends " + request + " to " + port + ", which is not an " + type);
        }
        if (!connection.isPortRunning()) {
            throw Kind.PORT_NOT_RUNNING.fault(port + " is not running");
        }
        if (!connection.admit()) {
            throw Kind.PORT_NOT_RUNNING.fault("The listener drains: " + port + " is served by other nodes");
        }
        if (!connection.isCodecNegotiated()) {
            throw Kind.UNEXPECTED_REQUEST.fault("The peer sends " + request + " before it negotiated a codec");
        }
        final long waitNanos = connection.rate().spendTransaction();
        if (waitNanos > 0) {
            return new AwaitRateStep(connection, waitNanos, () -> transaction.apply(connection));
        }
        return transaction.apply(connection);
    }

    @Override
    public EndOfInput endOfInput() {
        return EndOfInput.CLOSE;
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.BETWEEN_REQUESTS;
    }

    @Override
    public boolean isRateLimited() {
        return true;
    }
}
