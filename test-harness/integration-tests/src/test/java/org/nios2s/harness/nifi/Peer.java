// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;

/**
 * NiFi's own client as a peer of a NiFi of the harness, over RAW.
 * For one thread.
 */
public final class Peer implements AutoCloseable {

    private final SiteToSiteClient client;

    private Peer(final SiteToSiteClient client) {
        this.client = client;
    }

    /** A peer that uses one port of a NiFi that is not secured. */
    public static Peer of(final NifiInstance nifi, final String port) {
        return of(List.of(nifi), port);
    }

    /** A peer that is given the URLs of some nodes of a cluster that is not secured, in this order. */
    public static Peer of(final List<NifiInstance> nodes, final String port) {
        final Set<String> urls = new LinkedHashSet<>();
        nodes.forEach(node -> urls.add(node.instance().api().replace("/nifi-api", "/nifi")));
        return new Peer(new SiteToSiteClient.Builder()
                .urls(urls)
                .transportProtocol(SiteToSiteTransportProtocol.RAW)
                .portName(port)
                .build());
    }

    /** Sends packets in one transaction; each is identified by the prefix and its number. */
    public void push(final String prefix, final int packets) throws IOException {
        final Transaction transaction = client.createTransaction(TransferDirection.SEND);
        if (transaction == null) {
            throw new IOException("No peer takes a transaction now");
        }
        for (int packet = 0; packet < packets; packet++) {
            transaction.send(content(packet), Map.of("packet.id", prefix + "-" + packet));
        }
        transaction.confirm();
        transaction.complete();
    }

    /** The content of the packet of a number. */
    private static byte[] content(final int packet) {
        return ("packet " + packet).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
