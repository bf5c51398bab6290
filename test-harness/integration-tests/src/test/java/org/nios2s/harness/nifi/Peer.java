// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.KeystoreType;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;

/**
 * NiFi's own client as a peer of a NiFi of the harness, over RAW.
 * For one thread.
 */
final class Peer implements AutoCloseable {

    private final SiteToSiteClient client;

    private Peer(final SiteToSiteClient client) {
        this.client = client;
    }

    /** A peer that uses one port of a NiFi; on a secured one with the authorized client's key. */
    static Peer of(final NifiInstance nifi, final String port) {
        return of(nifi, port, nifi.instance().keyStore());
    }

    /** A peer that uses one port of a NiFi with a key store of its own. */
    static Peer of(final NifiInstance nifi, final String port, final String keyStore) {
        final InstanceRecord instance = nifi.instance();
        final SiteToSiteClient.Builder builder = new SiteToSiteClient.Builder()
                .url(instance.api().replace("/nifi-api", "/nifi"))
                .transportProtocol(SiteToSiteTransportProtocol.RAW)
                .portName(port);
        if (keyStore != null) {
            builder.keystoreFilename(keyStore)
                    .keystorePass(instance.password())
                    .keystoreType(KeystoreType.PKCS12)
                    .truststoreFilename(instance.trustStore())
                    .truststorePass(instance.password())
                    .truststoreType(KeystoreType.PKCS12);
        }
        return new Peer(builder.build());
    }

    /** Sends packets in one transaction; each is identified by the prefix and its number. */
    void push(final String prefix, final int packets) throws IOException {
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

    /** Receives what one transaction brings; returns the packets' ids. */
    List<String> pull() throws IOException {
        final Transaction transaction = client.createTransaction(TransferDirection.RECEIVE);
        if (transaction == null) {
            throw new IOException("No peer gives a transaction now");
        }
        final List<String> ids = new ArrayList<>();
        for (DataPacket packet = transaction.receive(); packet != null; packet = transaction.receive()) {
            packet.getData().readAllBytes();
            ids.add(packet.getAttributes().get("packet.id"));
        }
        transaction.confirm();
        transaction.complete();
        return ids;
    }

    /** The content of the packet of a number. */
    static byte[] content(final int packet) {
        return ("packet " + packet).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
