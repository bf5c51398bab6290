// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Lets tests wait for as long as a busy machine may need, in place of Awaitility's 10 s. Lives on the thread of all tests. */
public final class PatientTests implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(final LauncherSession session) {
        Awaitility.setDefaultTimeout(Outcomes.NEVER);
    }
}
