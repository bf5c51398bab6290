// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.nios2s.listener.fault.ConnectionFault;

/** A connection of a peer that a test names. Lives on the test's thread. */
public final class TestHolder implements Holder {
    private final PeerKey key;
    private final PeerTurn turn = new PeerTurn();
    private final List<ConnectionFault> revocations = new ArrayList<>();
    private boolean isOurTurn;

    public TestHolder(final String peer) {
        this.key = new PeerKey(peer);
    }

    @Override
    public PeerKey key() {
        return key;
    }

    @Override
    public PeerTurn turn() {
        return turn;
    }

    @Override
    public void revoke(final ConnectionFault reason, final BooleanSupplier isStillDue, final Runnable otherwise) {
        if (!isOurTurn && isStillDue.getAsBoolean()) {
            revocations.add(reason);
        } else {
            otherwise.run();
        }
    }

    /** Sets whether our turn has begun by the time at which it is told to end. */
    void ourTurn(final boolean ours) {
        isOurTurn = ours;
    }

    /** @return why it was told to end, each time */
    List<ConnectionFault> revocations() {
        return revocations;
    }
}
