// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslCachingX509KeyManagerFactory;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import javax.net.ssl.SSLException;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.ClientTls;

/**
 * TLS of the light client: by BoringSSL where it loads, so that the generator leaves the processors to the server, otherwise
 * by the JDK. Stateless; any thread.
 */
public final class WireTls {

    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private WireTls() {}

    /**
     * The factory of the TLS engines of connections; a later connection of a client may resume a session of an earlier
     * one: the maker, or null for plain TCP.
     */
    public static SslContext client(final ClientTls tls) {
        if (tls == null) {
            return null;
        }
        try {
            return SslContextBuilder.forClient()
                    .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
                    .keyManager(new OpenSslCachingX509KeyManagerFactory(tls.keys()))
                    .trustManager(tls.trust())
                    .protocols(PROTOCOLS)
                    // Names are not what is measured; and the load may go to an address.
                    .endpointIdentificationAlgorithm(null)
                    .build();
        } catch (final SSLException e) {
            throw new HarnessException("TLS can't use the client's key: " + e.getMessage(), e);
        }
    }
}
