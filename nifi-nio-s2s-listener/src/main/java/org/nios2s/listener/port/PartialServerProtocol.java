// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.Optional;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.VersionNegotiator;
import org.apache.nifi.remote.cluster.ClusterNodeInformation;
import org.apache.nifi.remote.cluster.NodeInformation;
import org.apache.nifi.remote.codec.FlowFileCodec;
import org.apache.nifi.remote.protocol.AbstractFlowFileServerProtocol;
import org.apache.nifi.remote.protocol.HandshakeProperties;
import org.apache.nifi.remote.protocol.RequestType;

/**
 * NiFi's server protocol for who needs a part of it: what converses with a peer over streams is not there. Its threads are
 * those of its subclasses.
 */
public abstract class PartialServerProtocol extends AbstractFlowFileServerProtocol {
    @Override
    public VersionNegotiator getVersionNegotiator() {
        throw unused();
    }

    @Override
    protected HandshakeProperties doHandshake(final Peer peer) {
        throw unused();
    }

    @Override
    public FlowFileCodec negotiateCodec(final Peer peer) {
        throw unused();
    }

    @Override
    public RequestType getRequestType(final Peer peer) {
        throw unused();
    }

    @Override
    public void sendPeerList(
            final Peer peer, final Optional<ClusterNodeInformation> clusterNodeInfo, final NodeInformation self) {
        throw unused();
    }

    @Override
    public String getResourceName() {
        return "NioSiteToSite";
    }

    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("Peers converse with IO workers");
    }
}
