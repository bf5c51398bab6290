// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Stops the shared NiFis when all tests are over.
 * Called by JUnit on the thread that runs the tests.
 */
public final class SharedNifiSession implements LauncherSessionListener {

    @Override
    public void launcherSessionClosed(final LauncherSession session) {
        for (final SharedNifi nifi : SharedNifi.values()) {
            nifi.stop();
        }
    }
}
