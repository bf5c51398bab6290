// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;

/** It is the peer's turn in a push transaction. Lives on the connection's IO worker. */
abstract class PushStep implements Step {
    private final Push push;

    PushStep(final Push push) {
        this.push = push;
    }

    final Push push() {
        return push;
    }

    @Override
    public final Object transaction() {
        return push;
    }

    @Override
    public final boolean holdsScarce() {
        return push.holdsScarce();
    }

    @Override
    public final void abandon() {
        push.abandon();
    }

    @Override
    public final boolean needsRunningPort() {
        return true;
    }

    @Override
    public final Patience patience() {
        return Patience.WITHIN_REQUEST;
    }
}
