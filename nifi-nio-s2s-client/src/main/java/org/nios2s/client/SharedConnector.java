// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

/** The connector of all clients that bring none: opened with the first, closed with the last. Any thread. */
final class SharedConnector {
    static final SharedConnector INSTANCE = new SharedConnector();

    private SiteToSiteConnector connector;
    private int users;

    private SharedConnector() {}

    synchronized SiteToSiteConnector acquire() {
        if (users == 0) {
            connector = new SiteToSiteConnector();
        }
        users++;
        return connector;
    }

    void release() {
        final SiteToSiteConnector unused;
        synchronized (this) {
            users--;
            unused = users == 0 ? connector : null;
        }
        if (unused != null) {
            unused.close();
        }
    }
}
