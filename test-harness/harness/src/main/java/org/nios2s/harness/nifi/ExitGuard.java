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

    /** The end of this JVM waits until a launch that has begun is over, and stops what it brought. */
    synchronized NifiProcess launch(final Supplier<NifiProcess> launcher) {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (final IllegalStateException e) {
            throw new HarnessException("NiFi was not started: the harness is being ended", e);
        }
        try {
            process = launcher.get();
            return process;
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

    private synchronized void stopOnExit() {
        if (process != null) {
            process.stop();
        }
    }
}
