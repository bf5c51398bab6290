// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.nios2s.client.internal.connection.NettyTls;

/**
 * Our certificate, the authorities that we trust, and the implementation of TLS: the JDK, or BoringSSL where it is on the class path.
 * Immutable; any thread.
 *
 * <p>Connections with the same context resume the sessions of earlier ones to the same peer. Two contexts of the same
 * {@link SSLContext} are equal; each one of BoringSSL is equal to itself only, so make it once. The peer's certificate has
 * to name the host that is connected to, unless {@link #withoutHostNameVerification} says otherwise.
 */
public final class TlsContext {
    static {
        NettyTls.readBy(context -> ((TlsContext) context).tls);
    }

    private final NettyTls tls;

    private TlsContext(final NettyTls tls) {
        this.tls = tls;
    }

    /**
     * Makes TLS by the JDK.
     *
     * @param context its key manager has the client certificate, its trust manager knows the peer
     * @return TLS by the JDK
     */
    public static TlsContext of(final SSLContext context) {
        return new TlsContext(NettyTls.of(context));
    }

    /**
     * Looks for BoringSSL.
     *
     * @return whether it is on the class path ({@code netty-tcnative-boringssl-static}) and loads
     */
    public static boolean isBoringSslAvailable() {
        return NettyTls.isBoringSslAvailable();
    }

    /**
     * Makes TLS by BoringSSL, which takes less processor time than the JDK.
     *
     * @param keys has the client certificate; its private key must be available ({@code getEncoded}), or null
     *     for none
     * @param trust knows the peer; an {@link javax.net.ssl.X509ExtendedTrustManager}, as those of the JDK are
     * @return TLS by BoringSSL
     * @throws IllegalStateException if it is not available
     * @throws SSLException if it can't use the key or the trust manager
     */
    public static TlsContext boringSsl(final @Nullable KeyManager keys, final TrustManager trust) throws SSLException {
        return new TlsContext(NettyTls.boringSsl(keys, trust));
    }

    /**
     * NiFi's own client does not compare names, and its nodes are often addressed otherwise than their certificates say.
     *
     * @return the same, but any certificate that is trusted serves, whatever host it names
     */
    public TlsContext withoutHostNameVerification() {
        return new TlsContext(tls.withoutHostNameVerification());
    }

    @Override
    public boolean equals(final @Nullable Object other) {
        return other instanceof final TlsContext context && tls.equals(context.tls);
    }

    @Override
    public int hashCode() {
        return tls.hashCode();
    }
}
