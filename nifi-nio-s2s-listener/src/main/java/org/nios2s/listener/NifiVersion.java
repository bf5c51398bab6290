// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import org.apache.nifi.remote.RemoteSiteListener;

/** The version of the NiFi that runs, for the log. Any thread. */
public final class NifiVersion {
    private NifiVersion() {}

    /** @return as the jar of its Site-to-Site says it */
    public static String running() {
        final String version = RemoteSiteListener.class.getPackage().getImplementationVersion();
        return version == null ? "of unknown version" : version;
    }
}
