// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.opening;

import java.io.IOException;
import java.util.Map;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.exception.HandshakeException;
import org.apache.nifi.remote.protocol.HandshakeProperties;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.remote.protocol.socket.SocketFlowFileServerProtocol;
import org.nios2s.listener.connection.PeerConnection;
import org.nios2s.listener.connection.Step;
import org.nios2s.listener.connection.WaitingStep;
import org.nios2s.listener.fault.PeerFault.Kind;
import org.nios2s.listener.limits.MemoryBudget;

/**
 * The handshake is checked and answered. Lives on the connection's IO worker, with the check on a thread for blocking
 * tasks.
 */
final class ValidateHandshakeStep extends WaitingStep {
    private final HandshakeProperties confirmed;
    private final Map<String, String> properties;
    private final MemoryBudget.Charge charge;

    /** @param charge for the properties, given back when they have been checked */
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
        final Validation validation = new Validation(connection());
        final Peer peer = connection().toPeer();
        return runBlocking(
                connection().listener().handshakeChecks(),
                () -> validation.validate(connection().listener().rootGroup().get(), confirmed, peer, properties),
                this::answer);
    }

    /** NiFi's own rules: same order, same texts, now and in later versions. Lives on a thread for blocking tasks. */
    private static final class Validation extends SocketFlowFileServerProtocol {
        private HandshakeException refusal;

        Validation(final PeerConnection connection) {
            getVersionNegotiator().setVersion(connection.protocolVersion());
        }

        /** @param confirmed receives what is accepted, up to the first property that is not */
        Validation validate(
                final ProcessGroup flow,
                final HandshakeProperties confirmed,
                final Peer peer,
                final Map<String, String> properties) {
            setRootProcessGroup(flow);
            try {
                validateHandshakeRequest(confirmed, peer, properties);
            } catch (final HandshakeException e) {
                refusal = e;
            }
            return this;
        }
    }

    private Step answer(final Validation validation) throws IOException {
        charge.close();
        final HandshakeException refusal = validation.refusal;
        if (refusal == null) {
            connection().send(ResponseCode.PROPERTIES_OK);
        } else if (!answerRefusal(refusal)) {
            throw Kind.HANDSHAKE_REFUSED.fault("The handshake is refused: " + refusal.getMessage(), refusal);
        }
        connection().agreeOnHandshake(confirmed, validation.getPort());
        if (connection().requestExpirationMillis() < 0) {
            throw Kind.HANDSHAKE_REFUSED.fault(
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
