// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.Map;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.flowfile.attributes.CoreAttributes;
import org.apache.nifi.flowfile.attributes.SiteToSiteAttributes;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;

/**
 * Gives FlowFiles, whose content has been written, what received ones have: attributes, a provenance event, and their transfer
 * into the flow, as NiFi's {@code AbstractFlowFileServerProtocol} does. Lives on the thread that has the session.
 */
public final class FlowFileReceiver {
    private final ProcessSession session;
    private final TransactionPeer peer;
    private final String host;
    private final String address;
    private final String details;

    /** @param peer the sender of all FlowFiles; its host name as known now is used for each */
    public FlowFileReceiver(final ProcessSession session, final TransactionPeer peer) {
        this.session = session;
        this.peer = peer;
        this.host = peer.host();
        this.address = host + ":" + peer.remotePort();
        this.details = detailsOf(peer);
    }

    /**
     * @param created in the session, with its content
     * @param attributes as the peer sent them; they get what NiFi adds, and stay good for another attempt
     * @param transferMillis how long the packet took to arrive
     */
    public void complete(final FlowFile created, final Map<String, String> attributes, final long transferMillis) {
        attributes.put(SiteToSiteAttributes.S2S_HOST.key(), host);
        attributes.put(SiteToSiteAttributes.S2S_ADDRESS.key(), address);
        // The session ignores an identifier in the map, but copies the whole map if it finds one.
        final String sourceIdentifier = attributes.remove(CoreAttributes.UUID.key());
        final FlowFile flowFile;
        try {
            flowFile = session.putAllAttributes(created, attributes);
        } finally {
            if (sourceIdentifier != null) {
                attributes.put(CoreAttributes.UUID.key(), sourceIdentifier);
            }
        }
        session.getProvenanceReporter()
                .receive(
                        flowFile,
                        peer.transitUri(sourceIdentifier),
                        sourceIdentifier == null ? null : "urn:nifi:" + sourceIdentifier,
                        details,
                        transferMillis);
        session.transfer(flowFile, Relationship.ANONYMOUS);
    }

    /** @return details of a provenance event: who the peer is */
    static String detailsOf(final TransactionPeer peer) {
        final String identity = peer.identity() == null ? "none" : peer.identity();
        return "Remote Host=" + peer.host() + ", Remote DN=" + identity;
    }
}
