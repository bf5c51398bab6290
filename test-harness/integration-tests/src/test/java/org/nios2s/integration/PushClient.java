// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransactionCompletion;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;
import org.apache.nifi.remote.util.StandardDataPacket;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.NifiNode;

/**
 * NiFi's own client, set up for pushes to one port of one NiFi.
 * As thread-safe as NiFi's client: transactions may be made on any thread.
 */
final class PushClient implements AutoCloseable {

    private static final long PENALTY_MILLIS = 100;

    private final SiteToSiteClient client;

    /** Over RAW. */
    PushClient(final NifiNode nifi, final String port, final boolean gzip) {
        this(to(nifi).transportProtocol(SiteToSiteTransportProtocol.RAW)
                .portName(port)
                .useCompression(gzip));
    }

    private PushClient(final SiteToSiteClient.Builder builder) {
        client = builder.build();
    }

    /** Over HTTP, to a port named by its id: a name is looked up in a list that the client keeps for half a minute. */
    static PushClient overHttp(final NifiNode nifi, final Component port) {
        return new PushClient(
                to(nifi).transportProtocol(SiteToSiteTransportProtocol.HTTP).portIdentifier(port.id()));
    }

    private static SiteToSiteClient.Builder to(final NifiNode nifi) {
        return new SiteToSiteClient.Builder()
                .url(nifi.rest().api().replace("/nifi-api", "/nifi"))
                .nodePenalizationPeriod(PENALTY_MILLIS, TimeUnit.MILLISECONDS);
    }

    static DataPacket packet(final Map<String, String> attributes, final byte[] content) {
        return new StandardDataPacket(attributes, new ByteArrayInputStream(content), content.length);
    }

    /** Begins a transaction; never null, as NiFi's client may answer. */
    Transaction begin() throws IOException {
        final Transaction transaction = client.createTransaction(TransferDirection.SEND);
        if (transaction == null) {
            throw new IOException("NiFi's client found no peer that takes data");
        }
        return transaction;
    }

    /** Pushes packets in one transaction, which is acknowledged when this returns. */
    TransactionCompletion push(final List<DataPacket> packets) throws IOException {
        final Transaction transaction = begin();
        for (final DataPacket packet : packets) {
            transaction.send(packet);
        }
        transaction.confirm();
        return transaction.complete();
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
