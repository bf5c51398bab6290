// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.internal.call.ClusterPeerSelector;
import org.nios2s.client.internal.connection.NettyTls;
import org.nios2s.client.internal.site.PortSettings;
import org.nios2s.client.internal.site.Site;
import org.nios2s.client.internal.transaction.Engine;

/** Finds the peers of a port as a configuration of NiFi's client describes it. Stateless; any thread. */
final class ConfiguredPeers {
    private ConfiguredPeers() {}

    /** @param tls for packets; null for none */
    static ClusterPeerSelector of(final Engine engine, final SiteToSiteClientConfig config, final NettyTls tls) {
        if (config.getPortName() == null && config.getPortIdentifier() == null) {
            throw new IllegalArgumentException("The configuration names neither a port nor a port identifier");
        }
        if (config.getUrls() == null || config.getUrls().isEmpty()) {
            throw new IllegalArgumentException("The configuration has no URL of a NiFi");
        }
        final BatchLimits limits = BatchLimits.none()
                .withMaxPackets(config.getPreferredBatchCount())
                .withMaxBytes(config.getPreferredBatchSize())
                .withMaxDuration(Duration.ofMillis(config.getPreferredBatchDuration(TimeUnit.MILLISECONDS)));
        final Duration timeout = Duration.ofMillis(config.getTimeout(TimeUnit.MILLISECONDS));
        final NiFiRestSite source = new NiFiRestSite(config);
        final Site site = new Site(
                engine,
                source,
                new PortSettings(tls, null, config.isUseCompression(), timeout, limits),
                ConfiguredPeerStore.of(config, source.name()));
        site.prepare();
        final Duration penalty = Duration.ofNanos(config.getPenalizationPeriod(TimeUnit.NANOSECONDS));
        final String name = config.getPortName() != null ? config.getPortName() : config.getPortIdentifier();
        return ClusterPeerSelector.owning(site, name, config.getPortIdentifier(), penalty);
    }
}
