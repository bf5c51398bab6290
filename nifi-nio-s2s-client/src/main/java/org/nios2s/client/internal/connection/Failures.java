// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import java.io.InterruptedIOException;
import java.util.concurrent.CompletionException;

/** What becomes of exceptions on their way to the caller. Stateless; any thread. */
public final class Failures {
    private Failures() {}

    /** @return the failure itself: a future wraps it when it passes it on */
    public static Throwable causeOf(final Throwable failure) {
        return failure instanceof CompletionException ? failure.getCause() : failure;
    }

    /**
     * The thread keeps its flag.
     *
     * @param doing the middle of a sentence
     */
    public static InterruptedIOException interrupted(final String doing, final InterruptedException cause) {
        Thread.currentThread().interrupt();
        final InterruptedIOException interrupted = new InterruptedIOException("Interrupted while " + doing);
        interrupted.initCause(cause);
        return interrupted;
    }
}
