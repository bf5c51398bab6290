// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.port;

import java.util.Optional;
import org.apache.nifi.groups.ProcessGroup;
import org.apache.nifi.processor.ProcessContext;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.remote.Peer;
import org.apache.nifi.remote.PublicPort;
import org.apache.nifi.remote.VersionNegotiator;
import org.apache.nifi.remote.cluster.ClusterNodeInformation;
import org.apache.nifi.remote.cluster.NodeInformant;
import org.apache.nifi.remote.cluster.NodeInformation;
import org.apache.nifi.remote.codec.FlowFileCodec;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.protocol.RequestType;
import org.apache.nifi.remote.protocol.ServerProtocol;

/**
 * What we put into a port's queue so that a port task calls us with its session: a server protocol of which the port
 * uses no more than that. Made on a dispatcher thread; the visit runs on the port task.
 */
final class PortRequest implements ServerProtocol {
    /** The port asks only whether there is one; the packets have been decoded already. */
    private static final FlowFileCodec CODEC = new StandardFlowFileCodec();

    /** The port is never to give a request up: transactions expire one by one, and a stopped port may start again. */
    private static final long NEVER = 0;

    /** Does the work of a visit. */
    interface Visit {
        /**
         * @param context of the port
         * @param session to commit in
         * @return FlowFiles committed
         */
        int serve(ProcessContext context, ProcessSession session);
    }

    private final PublicPort port;
    private final Visit visit;

    PortRequest(final PublicPort port, final Visit visit) {
        this.port = port;
        this.visit = visit;
    }

    @Override
    public int receiveFlowFiles(
            final Peer peer, final ProcessContext context, final ProcessSession session, final FlowFileCodec codec) {
        return visit.serve(context, session);
    }

    @Override
    public int transferFlowFiles(
            final Peer peer, final ProcessContext context, final ProcessSession session, final FlowFileCodec codec) {
        return visit.serve(context, session);
    }

    @Override
    public FlowFileCodec getPreNegotiatedCodec() {
        return CODEC;
    }

    @Override
    public long getRequestExpiration() {
        return NEVER;
    }

    @Override
    public PublicPort getPort() {
        return port;
    }

    @Override
    public String getResourceName() {
        return "NioSiteToSite";
    }

    @Override
    public boolean isHandshakeSuccessful() {
        return true;
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public void setRootProcessGroup(final ProcessGroup rootGroup) {
        throw unused();
    }

    @Override
    public void setNodeInformant(final NodeInformant nodeInformant) {
        throw unused();
    }

    @Override
    public void handshake(final Peer peer) {
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
    public void shutdown(final Peer peer) {
        throw unused();
    }

    @Override
    public VersionNegotiator getVersionNegotiator() {
        throw unused();
    }

    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("A port does not ask this of a request");
    }
}
