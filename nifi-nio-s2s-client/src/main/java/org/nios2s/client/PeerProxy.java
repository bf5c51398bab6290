// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A proxy through which a peer is reached. Immutable; any thread.
 *
 * @param kind how one speaks to it
 * @param host its name or address
 * @param port its TCP port
 * @param user null if it asks for no name
 * @param password null for none
 */
public record PeerProxy(
        Kind kind,
        String host,
        int port,
        @Nullable String user,
        @Nullable String password) {
    private static final int HIGHEST_TCP_PORT = 65_535;

    /** The kinds of proxies. */
    public enum Kind {
        /** SOCKS version 4, which resolves no names and knows no password. */
        SOCKS4,
        /** SOCKS version 5. */
        SOCKS5,
        /** HTTP with the method CONNECT. */
        HTTP
    }

    /** Checks the values. */
    public PeerProxy {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(host, "host");
        if (port < 1 || port > HIGHEST_TCP_PORT) {
            throw new IllegalArgumentException("TCP port " + port + " of " + host + " is not in 1 to 65535");
        }
    }

    /**
     * A proxy that asks for no name.
     *
     * @param kind how one speaks to it
     * @param host its name or address
     * @param port its TCP port
     * @return the proxy
     */
    public static PeerProxy of(final Kind kind, final String host, final int port) {
        return new PeerProxy(kind, host, port, null, null);
    }

    /**
     * The same proxy for a user who has a name there.
     *
     * @param name what it wants to know
     * @param secret null for none
     * @return the same with a user
     */
    public PeerProxy withUser(final @Nullable String name, final @Nullable String secret) {
        return new PeerProxy(kind, host, port, name, secret);
    }

    /** The password stays out of logs. */
    @Override
    public String toString() {
        return kind + " proxy " + host + ":" + port;
    }
}
