// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import org.nios2s.client.internal.SiteToSiteBuilder;

/** Where a {@link SiteToSite} comes from. Any thread. */
public final class NioSiteToSite {
    private NioSiteToSite() {}

    /**
     * Begins to describe a NiFi; name its {@link SiteToSite.Builder#url URLs} or its {@link SiteToSite.Builder#address address}.
     *
     * @return to be completed
     */
    public static SiteToSite.Builder builder() {
        return new SiteToSiteBuilder();
    }
}
