// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.nifi;

import java.io.IOException;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.nifi.remote.PeerDescription;
import org.apache.nifi.remote.PeerStatus;
import org.apache.nifi.remote.client.PeerPersistence;
import org.apache.nifi.remote.client.SiteToSiteClientConfig;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
import org.apache.nifi.remote.util.PeerStatusCache;
import org.nios2s.client.internal.site.PeerStore;
import org.nios2s.client.internal.transaction.ListedPeer;

/**
 * Keeps peers where the configuration of NiFi's client says, in NiFi's format. Lives on the thread for look-ups.
 *
 * @param persistence a file, or the state of a component
 * @param site the URLs of the site whose peers are kept: those of another are of no use
 */
record ConfiguredPeerStore(PeerPersistence persistence, String site) implements PeerStore {
    static PeerStore of(final SiteToSiteClientConfig config, final String site) {
        return config.getPeerPersistence() == null ? NONE : new ConfiguredPeerStore(config.getPeerPersistence(), site);
    }

    @Override
    public Set<ListedPeer> restore() throws IOException {
        final PeerStatusCache kept = persistence.restore();
        if (kept == null || kept.isEmpty() || !site.equals(kept.getRemoteInstanceUris())) {
            return Set.of();
        }
        return kept.getStatuses().stream().map(ConfiguredPeerStore::listed).collect(Collectors.toUnmodifiableSet());
    }

    private static ListedPeer listed(final PeerStatus status) {
        final PeerDescription peer = status.getPeerDescription();
        return new ListedPeer(peer.getHostname(), peer.getPort(), peer.isSecure(), status.getFlowFileCount());
    }

    @Override
    public void save(final Set<ListedPeer> peers) throws IOException {
        final Set<PeerStatus> statuses =
                peers.stream().map(ConfiguredPeerStore::status).collect(Collectors.toSet());
        persistence.save(
                new PeerStatusCache(statuses, System.currentTimeMillis(), site, SiteToSiteTransportProtocol.RAW));
    }

    private static PeerStatus status(final ListedPeer peer) {
        return new PeerStatus(new PeerDescription(peer.host(), peer.port(), peer.secure()), peer.flowFiles(), true);
    }
}
