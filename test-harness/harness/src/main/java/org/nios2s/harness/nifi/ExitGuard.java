// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.util.function.Supplier;
import org.nios2s.harness.HarnessException;

/**
 * Stops a NiFi when this JVM ends, at whatever moment that is, also in the middle of NiFi's start.
 * Used by the thread that starts NiFi and by the JVM's shutdown; guarded by its own monitor.
 */
final class ExitGuard {

    private final Thread hook = new Thread(this::stopOnExit, "stop-nifi");
    private NifiProcess process;
    private boolean exiting;

    NifiProcess launch(final Supplier<NifiProcess> launcher) {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (final IllegalStateException e) {
            throw ending(e);
        }
        try {
            return launchUnlessExiting(launcher);
        } catch (final RuntimeException | Error e) {
            release();
            throw e;
        }
    }

    /** Lets NiFi outlive this JVM. */
    void release() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // This JVM is ending, and the hook does its work.
        }
    }

    private synchronized NifiProcess launchUnlessExiting(final Supplier<NifiProcess> launcher) {
        if (exiting) {
            throw ending(null);
        }
        process = launcher.get();
        return process;
    }

    private void stopOnExit() {
        final NifiProcess launched;
        synchronized (this) {
            exiting = true;
            launched = process;
        }
        if (launched != null) {
            launched.stop();
        }
    }

    private static HarnessException ending(final Exception cause) {
        return new HarnessException("NiFi was not started: the harness is being ended", cause);
    }
}
