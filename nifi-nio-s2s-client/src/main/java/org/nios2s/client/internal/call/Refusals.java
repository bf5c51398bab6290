// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.nios2s.client.FailureReason;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionStep;
import org.nios2s.client.internal.connection.Endpoint;

/**
 * The nodes of a cluster that refused us and have not served us since: one that is set up wrongly must not stop what the
 * others give. Any thread.
 */
public final class Refusals {
    /** The answer of one node about itself; another node may answer otherwise. */
    static final Set<FailureReason> REFUSALS = EnumSet.of(
            FailureReason.UNAUTHORIZED, FailureReason.UNKNOWN_PORT, FailureReason.TLS_FAILED, FailureReason.REFUSED);

    private final PeerSelector peers;
    private final Set<String> refusing = ConcurrentHashMap.newKeySet();

    public Refusals(final PeerSelector peers) {
        this.peers = peers;
    }

    public void served(final Endpoint peer) {
        refusing.remove(peer.peer());
    }

    /** @return whether it is a refusal, of a node or of the site */
    public static boolean isRefusal(final TransactionException failure) {
        return REFUSALS.contains(failure.reason());
    }

    /** @return whether the failure is a node's refusal, and there is a node that did not refuse */
    public boolean isOfOneNode(final TransactionException failure) {
        if (failure.step() == TransactionStep.FIND_PEER || !REFUSALS.contains(failure.reason())) {
            return false;
        }
        refusing.add(failure.peer());
        return peers.hasOtherThan(refusing);
    }
}
