// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.nifi.remote.Transaction;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.KeystoreType;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.SiteToSiteTransportProtocol;

/**
 * NiFi's own client over RAW; uses only what its API has had since 1.9. For one thread.
 *
 * <p>A {@link ClientVersion} loads a copy of this class beside each version of the client.
 */
public final class ClientExchange implements Exchange {

    @Override
    public void push(
            final Map<Setting, String> settings,
            final List<Map<String, String>> attributes,
            final List<byte[]> contents)
            throws IOException {
        try (SiteToSiteClient client = client(settings)) {
            final Transaction transaction = begin(client, TransferDirection.SEND);
            for (int packet = 0; packet < contents.size(); packet++) {
                transaction.send(contents.get(packet), attributes.get(packet));
            }
            transaction.confirm();
            transaction.complete();
        }
    }

    @Override
    public void pull(
            final Map<Setting, String> settings,
            final List<Map<String, String>> attributes,
            final List<byte[]> contents)
            throws IOException {
        try (SiteToSiteClient client = client(settings)) {
            final Transaction transaction = begin(client, TransferDirection.RECEIVE);
            for (DataPacket packet = transaction.receive(); packet != null; packet = transaction.receive()) {
                attributes.add(packet.getAttributes());
                contents.add(packet.getData().readAllBytes());
            }
            transaction.confirm();
            transaction.complete();
        }
    }

    private static Transaction begin(final SiteToSiteClient client, final TransferDirection direction)
            throws IOException {
        final Transaction transaction = client.createTransaction(direction);
        if (transaction == null) {
            throw new IOException("No peer takes part in a transaction now");
        }
        return transaction;
    }

    private static SiteToSiteClient client(final Map<Setting, String> settings) throws IOException {
        final SiteToSiteClient.Builder builder = new SiteToSiteClient.Builder()
                .url(settings.get(Setting.URL))
                .transportProtocol(SiteToSiteTransportProtocol.RAW)
                .portName(settings.get(Setting.PORT))
                .useCompression(Boolean.parseBoolean(settings.get(Setting.COMPRESS)));
        if (settings.containsKey(Setting.TLS_VERSION)) {
            builder.sslContext(context(settings));
        } else if (settings.containsKey(Setting.KEY_STORE)) {
            builder.keystoreFilename(settings.get(Setting.KEY_STORE))
                    .keystorePass(settings.get(Setting.PASSWORD))
                    .keystoreType(KeystoreType.PKCS12)
                    .truststoreFilename(settings.get(Setting.TRUST_STORE))
                    .truststorePass(settings.get(Setting.PASSWORD))
                    .truststoreType(KeystoreType.PKCS12);
        }
        return builder.build();
    }

    private static SSLContext context(final Map<Setting, String> settings) throws IOException {
        final char[] password = settings.get(Setting.PASSWORD).toCharArray();
        try {
            final KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(KeyStore.getInstance(new File(settings.get(Setting.KEY_STORE)), password), password);
            final TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(KeyStore.getInstance(new File(settings.get(Setting.TRUST_STORE)), password));
            final SSLContext context = SSLContext.getInstance(settings.get(Setting.TLS_VERSION));
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (final GeneralSecurityException e) {
            throw new IOException("Cannot use " + settings.get(Setting.KEY_STORE), e);
        }
    }
}
