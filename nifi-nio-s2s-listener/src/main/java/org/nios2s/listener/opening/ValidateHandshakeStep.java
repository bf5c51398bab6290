// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.opening;

import java.io.IOException;
import java.util.Map;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.exception.HandshakeException;
import org.apache.nifi.remote.protocol.HandshakeProperties;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.listener.limits.MemoryBudget;

/**
 * The handshake is checked and answered. Lives on the connection's IO worker, with the check on a thread for blocking
 * tasks.
 */
final class ValidateHandshakeStep extends WaitingStep {
    private final HandshakeProperties confirmed;
    private final Map<String, String> properties;
    private final MemoryBudget.Charge charge;

    /**
     * @param charge for the properties, given back when they have been checked
     */
    ValidateHandshakeStep(
            final PeerConnection connection,
            final HandshakeProperties confirmed,
            final Map<String, String> properties,
            final MemoryBudget.Charge charge) {
        super(connection);
        this.confirmed = confirmed;
        this.properties = properties;
        this.charge = charge;
    }

    Step begin() {
        final Peer peer = connection().toPeer();
        return runBlocking(connection().listener().handshakeChecks(), () -> validate(peer), this::answer);
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
        charge.close();
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
        return connection().awaitRequest();
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
    public void abandon() {
        charge.close();
    }

    @Override
    public boolean answersBeforeInputEnds() {
        return true;
    }
}
