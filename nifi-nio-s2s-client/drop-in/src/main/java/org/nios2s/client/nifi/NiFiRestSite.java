// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteInfoProvider;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.nios2s.client.Direction;
import org.nios2s.client.internal.site.SiteDetails;

/**
 * Asks the REST API as the configuration of NiFi's client says, by NiFi's own REST client: for the drop-in. Immutable;
 * blocks the thread that asks.
 */
final class NiFiRestSite implements SiteDetails.Source {
    private final SiteToSiteClientConfig config;

    NiFiRestSite(final SiteToSiteClientConfig config) {
        this.config = config;
    }

    @Override
    public String name() {
        return String.join(",", config.getUrls());
    }

    @Override
    public SiteDetails ask() throws IOException {
        final SiteInfoProvider site = site();
        final boolean secure = site.isSecure();
        final Map<Direction, Map<String, String>> ports = new EnumMap<>(Direction.class);
        for (final TransferDirection direction : TransferDirection.values()) {
            final String id =
                    config.getPortIdentifier() == null ? site.getPortIdentifier(config.getPortName(), direction) : null;
            ports.put(Direction.valueOf(direction.name()), id == null ? Map.of() : Map.of(config.getPortName(), id));
        }
        final Integer rawPort = site.getSiteToSitePort();
        return new SiteDetails(site.getActiveClusterUrl().getHost(), rawPort, secure, ports);
    }

    private SiteInfoProvider site() {
        final int timeout = Math.clamp(config.getTimeout(TimeUnit.MILLISECONDS), 0, Integer.MAX_VALUE);
        final SiteInfoProvider info = new SiteInfoProvider();
        info.setClusterUrls(config.getUrls());
        info.setSslContext(config.getSslContext());
        info.setConnectTimeoutMillis(timeout);
        info.setReadTimeoutMillis(timeout);
        info.setCachedContentsExpirationMillis(config.getCacheExpiration(TimeUnit.MILLISECONDS));
        info.setProxy(config.getHttpProxy());
        info.setLocalAddress(config.getLocalAddress());
        return info;
    }
}
