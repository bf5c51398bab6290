// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import java.io.IOException;
import java.util.Map;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.exception.HandshakeException;
import org.apache.nifi.remote.protocol.HandshakeProperties;
import org.apache.nifi.remote.protocol.socket.SocketFlowFileServerProtocol;
import org.nios2s.listener.connection.Drain;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.fault.ConnectionFault.Kind;
import org.nios2s.wire.ResponseCode;

/**
 * The handshake is checked and answered. Lives on the connection's IO worker, with the check on a thread for blocking
 * tasks.
 *
 * <p>While the listener drains, a port is answered as one that is not running: clients then look for another node.
 */
final class ValidateHandshakeStep implements WaitingStep {
    private final PeerConnection connection;
    private final HandshakeProperties confirmed;
    private final Map<String, String> properties;
    private final int heldBytes;

    /**
     * @param confirmed receives what is accepted, up to the first property that is not
     * @param heldBytes memory that the properties take
     */
    ValidateHandshakeStep(
            final PeerConnection connection,
            final HandshakeProperties confirmed,
            final Map<String, String> properties,
            final int heldBytes) {
        this.connection = connection;
        this.confirmed = confirmed;
        this.properties = properties;
        this.heldBytes = heldBytes;
    }

    @Override
    public PeerConnection connection() {
        return connection;
    }

    @Override
    public int heldBytes() {
        return heldBytes;
    }

    @Override
    public Step begin() {
        final Validation validation = new Validation(connection.listener().drain());
        validation.getVersionNegotiator().setVersion(connection.protocolVersion());
        final Peer peer = connection.toPeer(() -> {});
        return runBlocking(
                connection.listener().threads().handshakeChecks(), () -> validation.validate(this, peer), this::answer);
    }

    /** NiFi's own rules: same order, same texts, now and in later versions. Lives on a thread for blocking tasks. */
    private static final class Validation extends SocketFlowFileServerProtocol {
        private final Drain drain;
        private HandshakeException refusal;

        Validation(final Drain drain) {
            this.drain = drain;
        }

        Validation validate(final ValidateHandshakeStep step, final Peer peer) {
            setRootProcessGroup(step.connection.listener().ports().rootGroup().get());
            try {
                validateHandshakeRequest(step.confirmed, peer, step.properties);
            } catch (final HandshakeException e) {
                refusal = e;
            }
            return this;
        }

        /** A port that is not running is refused before its destination is looked at. */
        @Override
        protected void checkPortStatus(final Peer peer, final String portId) throws HandshakeException {
            try {
                super.checkPortStatus(peer, portId);
            } catch (final HandshakeException e) {
                if (codeOf(e) == ResponseCode.PORTS_DESTINATION_FULL && drain.isDraining()) {
                    throw notRunning();
                }
                throw e;
            }
            if (drain.isDraining()) {
                throw notRunning();
            }
        }

        private static HandshakeException notRunning() {
            return new HandshakeException(
                    org.apache.nifi.remote.protocol.ResponseCode.PORT_NOT_IN_VALID_STATE, "Port not running");
        }

        /** @return why the peer is refused, or null; the listener may have begun to drain since the check */
        HandshakeException refusalOf(final PeerConnection connection) {
            if (refusal == null && getPort() != null && !connection.admit()) {
                return notRunning();
            }
            return refusal;
        }
    }

    private Step answer(final Validation validation) throws IOException {
        final HandshakeException refusal = validation.refusalOf(connection);
        if (refusal == null) {
            connection.send(ResponseCode.PROPERTIES_OK);
        } else if (!answerRefusal(refusal, validation.getPort())) {
            throw Kind.HANDSHAKE_REFUSED.fault("The handshake is refused: " + refusal.getMessage(), refusal);
        }
        connection.agreeOnHandshake(confirmed, validation.getPort());
        if (connection.requestExpirationMillis() < 0) {
            throw Kind.HANDSHAKE_REFUSED.fault(
                    "The peer asks for a negative request expiration of " + confirmed.getExpirationMillis() + " ms");
        }
        if (refusal == null) {
            connection.reportConnected();
        }
        return connection.awaitRequest();
    }

    /** @return what is answered, or null if NiFi names no code, or one that the wire format does not have */
    private static ResponseCode codeOf(final HandshakeException refusal) {
        return refusal.getResponseCode() == null
                ? null
                : ResponseCode.of(refusal.getResponseCode().getCode());
    }

    private static String reasonOf(final HandshakeException refusal, final PublicPort port) {
        if (port == null) {
            return refusal.getMessage();
        }
        return refusal.getMessage() + ", at " + port;
    }

    /** @return whether the connection stays open */
    private boolean answerRefusal(final HandshakeException refusal, final PublicPort port) throws IOException {
        final ResponseCode code = codeOf(refusal);
        if (code == null) {
            return false;
        }
        connection.reportRefusal(code, reasonOf(refusal, port));
        if (code.hasText()) {
            connection.send(code, refusal.getMessage());
        } else {
            connection.send(code);
        }
        return switch (code) {
            case UNAUTHORIZED, PORT_NOT_IN_VALID_STATE, PORTS_DESTINATION_FULL -> true;
            default -> false;
        };
    }

    @Override
    public TimeoutPolicy timeoutPolicy() {
        return TimeoutPolicy.HANDSHAKE;
    }

    @Override
    public EndOfInput endOfInput() {
        return EndOfInput.AFTER_ANSWER;
    }
}
