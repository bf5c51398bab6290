// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.push;

import org.nios2s.listener.connection.Step;

/**
 * A streamed push transaction waits until what has arrived is written. Lives on the connection's IO worker.
 */
final class AwaitWriterStep extends PushWait {
    AwaitWriterStep(final Push push, final Step next) {
        super(push, next);
    }

    Step begin() {
        transfer().awaitCaughtUp(this::goOn);
        return this;
    }

    /** However long it takes: it is not the peer who is slow. */
    @Override
    public Patience patience() {
        return Patience.UNLIMITED;
    }
}
