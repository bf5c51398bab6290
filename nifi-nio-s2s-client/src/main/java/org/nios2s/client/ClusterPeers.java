// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;

/**
 * Leads from URLs to peers. Any thread. The only way from the core to NiFi's REST client, whose libraries may be missing
 * where only RAW addresses are used.
 */
final class ClusterPeers {
    private ClusterPeers() {}

    static PeerChoice of(
            final SiteToSiteConnector connector, final SiteToSite.Builder settings, final String nameOrId) {
        try {
            final SiteToSiteClient.Builder client = new SiteToSiteClient.Builder()
                    .urls(settings.urls)
                    .sslContext(settings.restTls)
                    // What was learned last is kept by RemoteCluster itself.
                    .cacheExpiration(0, TimeUnit.MILLISECONDS)
                    .useCompression(settings.compress)
                    .timeout(settings.options.idleTimeout().toMillis(), TimeUnit.MILLISECONDS);
            final SiteToSiteClientConfig config =
                    (isId(nameOrId) ? client.portIdentifier(nameOrId) : client.portName(nameOrId)).buildConfig();
            return new RemoteCluster(connector, config, settings.restTls, settings.tls, settings.proxy);
        } catch (final LinkageError e) {
            throw new IllegalStateException(
                    "A URL needs NiFi's client with all its libraries on the class path"
                            + " (org.apache.nifi:nifi-site-to-site-client); without them name the RAW address",
                    e);
        }
    }

    private static boolean isId(final String nameOrId) {
        try {
            return UUID.fromString(nameOrId).toString().equalsIgnoreCase(nameOrId);
        } catch (final IllegalArgumentException e) {
            return false;
        }
    }
}
