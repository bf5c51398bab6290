// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.protocol;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.nifi.remote.PeerDescription;
import org.apache.nifi.remote.PeerDescriptionModifier;
import org.apache.nifi.remote.PeerStatus;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.remote.cluster.NodeInformation;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
import org.apache.nifi.util.NiFiProperties;
import org.nios2s.listener.connection.Drain;
import org.nios2s.listener.time.NanoClock;

/**
 * The peers that a client may use: the nodes of the cluster, or this NiFi alone, under the names and ports by which that
 * client reaches them. A node that drains leaves itself out, as long as there is another one. Immutable; any thread.
 */
public final class PeerList {
    private static final String ROUTES = "nifi.remote.route.raw.";
    private static final String HOST_NAME_OF_PEER = "s2s.source.hostname";

    private final ClusterNodes nodes;
    private final PeerDescriptionModifier routes;
    private final Routing routing;
    private final Executor threads;
    private final Drain drain;
    private final HostAndPort own;

    /** Where RAW Site-to-Site of a node is. */
    private record HostAndPort(String host, Integer port) {}

    /** On what the names and ports in the list depend. */
    enum Routing {
        /** There are no rules: every peer gets the same list. */
        NONE,
        /** On rules of {@code nifi.remote.route.raw.*}. */
        BY_RULE,
        /** On rules that test the name of the peer's host. */
        BY_HOST_NAME
    }

    /**
     * @param nodeInformant the cluster, or null for a standalone NiFi
     * @param threads ask the cluster and evaluate rules; two at the least, since the cluster may hold on to one
     * @param drain whether this node is to be left out
     */
    public PeerList(
            final NiFiProperties properties,
            final NodeInformant nodeInformant,
            final Executor threads,
            final Drain drain,
            final NanoClock clock) {
        this.threads = threads;
        this.drain = drain;
        this.own = ownOf(properties);
        this.nodes = new ClusterNodes(sourceOf(properties, nodeInformant), threads, clock);
        this.routes = new PeerDescriptionModifier(properties);
        this.routing = routingOf(properties, routes);
    }

    private static ClusterNodes.Source sourceOf(final NiFiProperties properties, final NodeInformant nodeInformant) {
        if (nodeInformant == null) {
            return () -> List.of(self(properties));
        }
        return () -> nodeInformant.getNodeInformation().getNodeInformation();
    }

    /** As NiFi tells its cluster: by the name of its REST API, where Site-to-Site has none of its own. */
    private static HostAndPort ownOf(final NiFiProperties properties) {
        String host = properties.getRemoteInputHost();
        if (host == null && properties.isClustered()) {
            host = properties.getNodeApiAddress().getHostString();
        }
        return new HostAndPort(host, properties.getRemoteInputPort());
    }

    private static Routing routingOf(final NiFiProperties properties, final PeerDescriptionModifier routes) {
        if (!routes.isModificationNeeded(SiteToSiteTransportProtocol.RAW)) {
            return Routing.NONE;
        }
        final boolean byHostName = properties.getPropertyKeys().stream()
                .filter(key -> key.startsWith(ROUTES))
                .anyMatch(key -> properties.getProperty(key, "").contains(HOST_NAME_OF_PEER));
        if (byHostName) {
            return Routing.BY_HOST_NAME;
        }
        return Routing.BY_RULE;
    }

    /** @return whether a rule of {@code nifi.remote.route.raw.*} tests the name of the peer's host */
    public boolean needsHostNames() {
        return routing == Routing.BY_HOST_NAME;
    }

    Routing routing() {
        return routing;
    }

    ClusterNodes nodes() {
        return nodes;
    }

    Executor threads() {
        return threads;
    }

    /**
     * Evaluates the expressions of all rules for each node, if there are rules.
     *
     * @param asking the peer that asks
     */
    List<PeerStatus> entriesFor(final PeerDescription asking, final Collection<NodeInformation> known) {
        final List<PeerStatus> entries = new ArrayList<>();
        for (final NodeInformation node : withoutOwn(known)) {
            if (node.getSiteToSitePort() != null) {
                final PeerDescription target = new PeerDescription(
                        node.getSiteToSiteHostname(), node.getSiteToSitePort(), node.isSiteToSiteSecure());
                entries.add(new PeerStatus(routed(asking, target), node.getTotalFlowFiles(), true));
            }
        }
        return entries;
    }

    private Collection<NodeInformation> withoutOwn(final Collection<NodeInformation> known) {
        if (!drain.isDraining()) {
            return known;
        }
        final List<NodeInformation> others = known.stream()
                .filter(node -> node.getSiteToSitePort() != null)
                .filter(node -> !own.equals(new HostAndPort(node.getSiteToSiteHostname(), node.getSiteToSitePort())))
                .toList();
        if (others.isEmpty()) {
            return known;
        }
        return others;
    }

    private PeerDescription routed(final PeerDescription asking, final PeerDescription target) {
        if (routing == Routing.NONE) {
            return target;
        }
        return routes.modify(
                asking,
                target,
                SiteToSiteTransportProtocol.RAW,
                PeerDescriptionModifier.RequestType.Peers,
                new HashMap<>());
    }

    private static NodeInformation self(final NiFiProperties properties) throws UnknownHostException {
        final String configuredHost = properties.getRemoteInputHost();
        final String host = configuredHost == null ? InetAddress.getLocalHost().getHostName() : configuredHost;
        final boolean secure = properties.isSiteToSiteSecure();
        final Integer apiPort = secure ? properties.getSslPort() : properties.getPort();
        // Clients choose between nodes by what is queued there, and a standalone NiFi is the only choice.
        return new NodeInformation(
                host,
                properties.getRemoteInputPort(),
                properties.getRemoteInputHttpPort(),
                apiPort == null ? 0 : apiPort,
                secure,
                0);
    }
}
