// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.sequence;

import org.apache.nifi.remote.PortAuthorizationResult;
import org.nios2s.listener.PeerFault;
import org.nios2s.listener.limits.Limit;

/**
 * A transaction is about to begin: it waits until its port has room for it, and its peer's authorization is checked once
 * more. Lives on the connection's IO worker, with the check on a thread for blocking tasks.
 */
final class AdmitTransactionStep extends WaitingStep {
    private final long startNanos = System.nanoTime();
    private Limit.Waiter waiter;

    AdmitTransactionStep(final PeerConnection connection) {
        super(connection);
    }

    Step begin() throws PeerFault {
        final Limit places = connection().dispatcher().limits().places();
        waiter = places.acquireOrAwait(() -> connection().handler().proceedOrElse(this, this::enter, () -> {}));
        return waiter == null ? enter() : this;
    }

    private Step enter() throws PeerFault {
        waiter = null;
        connection().holdPlace();
        if (!connection().listener().secure()) {
            return new ReceivePacketStep(new Reception(connection()));
        }
        return runBlocking(
                () -> connection().port().checkUserAuthorization(connection().identity()), this::admit);
    }

    private Step admit(final PortAuthorizationResult result) throws PeerFault {
        if (!result.isAuthorized()) {
            throw new PeerFault(PeerFault.Kind.NOT_AUTHORIZED, result.getExplanation());
        }
        return new ReceivePacketStep(new Reception(connection()));
    }

    @Override
    public void checkDeadline(final long nowNanos) throws PeerFault {
        Expiration.check(connection(), startNanos, nowNanos);
    }

    @Override
    public void abandon() {
        if (waiter != null) {
            waiter.withdraw();
        }
    }

    @Override
    public boolean needsRunningPort() {
        return true;
    }
}
