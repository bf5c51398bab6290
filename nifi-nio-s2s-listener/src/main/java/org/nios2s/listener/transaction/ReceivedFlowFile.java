// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.HashMap;
import java.util.Map;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.flowfile.attributes.CoreAttributes;
import org.apache.nifi.flowfile.attributes.SiteToSiteAttributes;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.processor.Relationship;

/**
 * Makes of a FlowFile, whose content has been written, what a received one is: attributes, provenance, and its way into
 * the flow, as NiFi's {@code AbstractFlowFileServerProtocol} does. Stateless; on the thread that has the session.
 */
public final class ReceivedFlowFile {
    private static final String UNKNOWN = "unknown";
    private static final String NO_IDENTITY = "none";

    private ReceivedFlowFile() {}

    /**
     * @param created in {@code session}, with its content
     * @param packetAttributes as the peer sent them
     * @param transferMillis how long the packet took to arrive
     */
    public static void complete(
            final ProcessSession session,
            final FlowFile created,
            final Map<String, String> packetAttributes,
            final TransactionPeer peer,
            final long transferMillis) {
        final String sourceIdentifier = packetAttributes.get(CoreAttributes.UUID.key());
        final FlowFile flowFile = session.putAllAttributes(created, attributesOf(packetAttributes, peer));
        session.getProvenanceReporter()
                .receive(
                        flowFile,
                        peer.transitUri(sourceIdentifier),
                        sourceIdentifier == null ? null : "urn:nifi:" + sourceIdentifier,
                        detailsOf(peer),
                        transferMillis);
        session.transfer(flowFile, Relationship.ANONYMOUS);
    }

    /** @return details of a provenance event: who the peer is */
    static String detailsOf(final TransactionPeer peer) {
        final String identity = peer.identity() == null ? NO_IDENTITY : peer.identity();
        return "Remote Host=" + peer.host() + ", Remote DN=" + identity;
    }

    /** The session keeps the identifier that it gave the FlowFile, whatever the packet says of it. */
    private static Map<String, String> attributesOf(
            final Map<String, String> packetAttributes, final TransactionPeer peer) {
        final String host = peer.host() == null || peer.host().isEmpty() ? UNKNOWN : peer.host();
        final String port = peer.remotePort() <= 0 ? UNKNOWN : String.valueOf(peer.remotePort());
        final Map<String, String> attributes = new HashMap<>(packetAttributes);
        attributes.remove(CoreAttributes.UUID.key());
        attributes.put(SiteToSiteAttributes.S2S_HOST.key(), host);
        attributes.put(SiteToSiteAttributes.S2S_ADDRESS.key(), host + ":" + port);
        return attributes;
    }
}
