// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URISyntaxException;
import org.nios2s.client.PeerProxy;
import org.nios2s.client.PeerProxy.Kind;

/**
 * The settings of this JVM for sockets to a peer, which NiFi's client obeys too: {@code -DsocksProxyHost} and its companions,
 * or a {@link ProxySelector} and an {@link Authenticator} of the program. Stateless; may block.
 */
final class JvmProxy {
    private static final String SOCKS_VERSION = "socksProxyVersion";
    private static final String PROMPT = "SOCKS authentication";

    private JvmProxy() {}

    /** @return the proxy, or null to connect directly */
    static PeerProxy to(final String peerHost, final int peerPort) {
        final ProxySelector selector = ProxySelector.getDefault();
        if (selector == null) {
            return null;
        }
        for (final Proxy proxy : selector.select(socket(peerHost, peerPort))) {
            if (proxy.type() == Proxy.Type.DIRECT) {
                return null;
            }
            if (proxy.type() == Proxy.Type.SOCKS && proxy.address() instanceof final InetSocketAddress address) {
                return at(address);
            }
        }
        return null;
    }

    private static PeerProxy at(final InetSocketAddress address) {
        final String host = address.getHostString();
        if ("4".equals(System.getProperty(SOCKS_VERSION))) {
            return PeerProxy.of(Kind.SOCKS4, host, address.getPort()).withUser(System.getProperty("user.name"), null);
        }
        final PasswordAuthentication known = Authenticator.requestPasswordAuthentication(
                host, address.getAddress(), address.getPort(), "SOCKS5", PROMPT, null);
        final PeerProxy proxy = PeerProxy.of(Kind.SOCKS5, host, address.getPort());
        return known == null ? proxy : proxy.withUser(known.getUserName(), new String(known.getPassword()));
    }

    /** As Java's own sockets write it: a name need not be one of the Internet's, such as {@code nifi_1}. */
    private static URI socket(final String host, final int port) {
        try {
            return new URI("socket://" + Endpoint.peer(host, port));
        } catch (final URISyntaxException e) {
            throw new IllegalArgumentException("'" + host + "' can't be the name of a host", e);
        }
    }
}
