// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import java.util.function.Consumer;
import org.nios2s.client.ClientObserver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Guards the client against what its observer throws. Any thread. */
public final class SafeObserver {
    private static final Logger logger = LoggerFactory.getLogger(SafeObserver.class);

    private SafeObserver() {}

    public static void notify(final ClientObserver observer, final Consumer<ClientObserver> event) {
        try {
            event.accept(observer);
        } catch (final Throwable e) {
            // It is not our code: also an Error, or a checked exception of another language, must not end what we do.
            logger.warn(
                    "The observer {} failed; the client continues",
                    observer.getClass().getName(),
                    e);
        }
    }
}
