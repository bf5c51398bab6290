// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;

/**
 * A push transaction has kept its IO worker busy for a turn: it goes on behind the other connections. Lives on the
 * connection's IO worker.
 */
final class YieldStep extends PushWait {
    YieldStep(final Push push, final Step next) {
        super(push, next);
    }

    Step begin() {
        goOn();
        return this;
    }

    /** However long it takes: it is not the peer who is slow. */
    @Override
    public Patience patience() {
        return Patience.UNLIMITED;
    }
}
