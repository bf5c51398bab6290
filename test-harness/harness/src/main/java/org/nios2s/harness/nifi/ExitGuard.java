/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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

    /**
     * Launches NiFi under a guard.
     *
     * @throws HarnessException when this JVM is ending; nothing was launched then
     */
    NifiProcess launch(final Supplier<NifiProcess> launcher) {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (final IllegalStateException e) {
            throw ending(e);
        }
        NifiProcess launched = null;
        try {
            launched = launchUnlessExiting(launcher);
            return launched;
        } finally {
            if (launched == null) {
                release();
            }
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
