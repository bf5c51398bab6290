// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
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
    public static Peer of(final NifiNode nifi, final String port) {
        return of(List.of(nifi), port);
    }

    /** The same in a cluster, of which it knows these nodes, and asks them in this order. */
    public static Peer of(final List<NifiNode> nodes, final String port) {
        return new Peer(new SiteToSiteClient.Builder()
                .urls(nodes.stream()
                        .map(node -> node.info().api().replace("/nifi-api", "/nifi"))
                        .collect(Collectors.toCollection(LinkedHashSet::new)))
                .transportProtocol(SiteToSiteTransportProtocol.RAW)
                .portName(port)
                .build());
    }

    /** Sends packets in one transaction; each is identified by the prefix and its number. */
    public void push(final String prefix, final int packets) throws IOException {
        final Transaction transaction = begin();
        for (int packet = 0; packet < packets; packet++) {
            transaction.send(content(packet), Map.of("packet.id", prefix + "-" + packet));
        }
        transaction.confirm();
        transaction.complete();
    }

    /** Begins a transaction in which packets are sent. */
    public Transaction begin() throws IOException {
        final Transaction transaction = client.createTransaction(TransferDirection.SEND);
        if (transaction == null) {
            throw new IOException("No peer takes a transaction now");
        }
        return transaction;
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
