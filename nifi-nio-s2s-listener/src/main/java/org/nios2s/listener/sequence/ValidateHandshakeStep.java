// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import java.io.IOException;
import java.util.Map;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.exception.HandshakeException;
import org.apache.nifi.remote.protocol.HandshakeProperties;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.listener.PeerFault;

/**
 * The handshake is checked and answered. Lives on the connection's IO worker, with the check on a thread for blocking
 * tasks.
 */
final class ValidateHandshakeStep extends WaitingStep {
    private final HandshakeProperties confirmed;
    private final Map<String, String> properties;

    ValidateHandshakeStep(
            final PeerConnection connection,
            final HandshakeProperties confirmed,
            final Map<String, String> properties) {
        super(connection);
        this.confirmed = confirmed;
        this.properties = properties;
    }

    Step begin() throws PeerFault {
        final Peer peer = connection().toPeer();
        return runBlocking(() -> validate(peer), this::answer);
    }

    /** Port and, where the handshake was refused, the reason. */
    private record Verdict(PublicPort port, HandshakeException refusal) {}

    private Verdict validate(final Peer peer) {
        final HandshakeValidation validation = new HandshakeValidation(
                connection().listener().rootGroup().get(), connection().protocolVersion());
        try {
            validation.validate(confirmed, peer, properties);
            return new Verdict(validation.getPort(), null);
        } catch (final HandshakeException e) {
            return new Verdict(validation.getPort(), e);
        }
    }

    private Step answer(final Verdict verdict) throws IOException {
        if (verdict.refusal == null) {
            connection().send(ResponseCode.PROPERTIES_OK);
        } else if (!answerRefusal(verdict.refusal)) {
            throw new PeerFault(
                    PeerFault.Kind.HANDSHAKE_REFUSED,
                    "The handshake is refused: " + verdict.refusal.getMessage(),
                    verdict.refusal);
        }
        connection().agreeOnHandshake(confirmed, verdict.port);
        if (connection().requestExpirationMillis() < 0) {
            throw new PeerFault(
                    PeerFault.Kind.HANDSHAKE_REFUSED,
                    "The peer asks for a negative request expiration of " + confirmed.getExpirationMillis() + " ms");
        }
        return new RequestStep(connection());
    }

    /** @return whether the connection stays open */
    private boolean answerRefusal(final HandshakeException refusal) throws IOException {
        final ResponseCode code = refusal.getResponseCode();
        if (code == null) {
            return false;
        }
        if (code.containsMessage()) {
            connection().send(code, refusal.getMessage());
        } else {
            connection().send(code);
        }
        return switch (code) {
            case UNAUTHORIZED, PORT_NOT_IN_VALID_STATE, PORTS_DESTINATION_FULL -> true;
            default -> false;
        };
    }

    @Override
    public Patience patience() {
        return Patience.HANDSHAKE;
    }

    @Override
    public boolean answersBeforeInputEnds() {
        return true;
    }
}
