// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.opening;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import org.apache.nifi.remote.PeerDescription;
import org.apache.nifi.remote.PeerDescriptionModifier;
import org.apache.nifi.remote.PeerStatus;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.remote.cluster.NodeInformation;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
import org.apache.nifi.util.NiFiProperties;

/**
 * The peers that a client may use: the nodes of the cluster, or this NiFi alone. Immutable. May block, since the cluster
 * coordinator and the name of this host are asked: so it runs on a thread for blocking tasks.
 */
public record PeerList(NiFiProperties properties, NodeInformant nodeInformant, PeerDescriptionModifier routes) {
    /** @param nodeInformant the cluster, or null for a standalone NiFi */
    public PeerList(final NiFiProperties properties, final NodeInformant nodeInformant) {
        this(properties, nodeInformant, new PeerDescriptionModifier(properties));
    }

    /** @param asking who asks, for the rules of {@code nifi.remote.route.raw.*} */
    public List<PeerStatus> entriesFor(final PeerDescription asking) throws UnknownHostException {
        final List<PeerStatus> entries = new ArrayList<>();
        for (final NodeInformation node : nodes()) {
            if (node.getSiteToSitePort() != null) {
                final PeerDescription target = new PeerDescription(
                        node.getSiteToSiteHostname(), node.getSiteToSitePort(), node.isSiteToSiteSecure());
                entries.add(new PeerStatus(routed(asking, target), node.getTotalFlowFiles(), true));
            }
        }
        return entries;
    }

    private PeerDescription routed(final PeerDescription asking, final PeerDescription target) {
        if (!routes.isModificationNeeded(SiteToSiteTransportProtocol.RAW)) {
            return target;
        }
        return routes.modify(
                asking,
                target,
                SiteToSiteTransportProtocol.RAW,
                PeerDescriptionModifier.RequestType.Peers,
                new HashMap<>());
    }

    private Collection<NodeInformation> nodes() throws UnknownHostException {
        return nodeInformant == null
                ? List.of(self())
                : nodeInformant.getNodeInformation().getNodeInformation();
    }

    private NodeInformation self() throws UnknownHostException {
        final String configuredHost = properties.getRemoteInputHost();
        final String host = configuredHost == null ? InetAddress.getLocalHost().getHostName() : configuredHost;
        final boolean secure = properties.isSiteToSiteSecure();
        final Integer apiPort = secure ? properties.getSslPort() : properties.getPort();
        // Of a standalone NiFi nobody asks how much is queued: there is no other to go to.
        return new NodeInformation(
                host,
                properties.getRemoteInputPort(),
                properties.getRemoteInputHttpPort(),
                apiPort == null ? 0 : apiPort,
                secure,
                0);
    }
}
