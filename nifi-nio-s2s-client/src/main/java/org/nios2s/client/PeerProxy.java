// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Objects;

/** A proxy through which a peer is reached. Immutable; any thread. */
public final class PeerProxy {
    private static final String SOCKS_VERSION = "socksProxyVersion";
    private static final String PROMPT = "SOCKS authentication";

    /** The kinds of proxies. */
    public enum Kind {
        /** SOCKS version 4, which resolves no names and knows no password. */
        SOCKS4,
        /** SOCKS version 5. */
        SOCKS5,
        /** HTTP with the method CONNECT. */
        HTTP
    }

    private final Kind kind;
    private final String host;
    private final int port;
    private final String user;
    private final String password;

    private PeerProxy(final Kind kind, final String host, final int port, final String user, final String password) {
        this.kind = Objects.requireNonNull(kind, "kind");
        this.host = Objects.requireNonNull(host, "host");
        this.port = port;
        this.user = user;
        this.password = password;
        Endpoint.requireTcpPort(host, port);
    }

    /**
     * A proxy that asks for nobody's name.
     *
     * @param kind how one speaks to it
     * @param host its name or address
     * @param port its TCP port
     */
    public static PeerProxy of(final Kind kind, final String host, final int port) {
        return new PeerProxy(kind, host, port, null, null);
    }

    /**
     * The same proxy for who has a name there.
     *
     * @param name what it wants to know
     * @param secret null for none
     */
    public PeerProxy withUser(final String name, final String secret) {
        return new PeerProxy(kind, host, port, name, secret);
    }

    Kind kind() {
        return kind;
    }

    String host() {
        return host;
    }

    int port() {
        return port;
    }

    String user() {
        return user;
    }

    String password() {
        return password;
    }

    /**
     * What this JVM says of sockets to a peer, as NiFi's client obeys it too: {@code -DsocksProxyHost} and its companions,
     * or a {@link ProxySelector} and an {@link Authenticator} of the program.
     *
     * @return the proxy, or null to connect directly
     */
    static PeerProxy ofJvm(final String peerHost, final int peerPort) {
        final ProxySelector selector = ProxySelector.getDefault();
        if (selector == null) {
            return null;
        }
        for (final Proxy proxy : selector.select(socket(peerHost, peerPort))) {
            if (proxy.type() == Proxy.Type.DIRECT) {
                return null;
            }
            if (proxy.type() == Proxy.Type.SOCKS && proxy.address() instanceof final InetSocketAddress address) {
                return ofJvm(address);
            }
        }
        return null;
    }

    private static PeerProxy ofJvm(final InetSocketAddress address) {
        final String host = address.getHostString();
        if ("4".equals(System.getProperty(SOCKS_VERSION))) {
            return of(Kind.SOCKS4, host, address.getPort()).withUser(System.getProperty("user.name"), null);
        }
        final PasswordAuthentication known = Authenticator.requestPasswordAuthentication(
                host, address.getAddress(), address.getPort(), "SOCKS5", PROMPT, null);
        final PeerProxy proxy = of(Kind.SOCKS5, host, address.getPort());
        return known == null ? proxy : proxy.withUser(known.getUserName(), new String(known.getPassword()));
    }

    private static URI socket(final String host, final int port) {
        try {
            return new URI("socket", null, host, port, null, null, null);
        } catch (final URISyntaxException e) {
            throw new IllegalArgumentException("The host name " + host + " is none", e);
        }
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof final PeerProxy proxy
                && kind == proxy.kind
                && host.equals(proxy.host)
                && port == proxy.port
                && Objects.equals(user, proxy.user)
                && Objects.equals(password, proxy.password);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, host, port, user, password);
    }

    /** The password stays out of logs. */
    @Override
    public String toString() {
        return kind + " proxy " + host + ":" + port;
    }
}
