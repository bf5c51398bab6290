// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import io.netty.handler.proxy.HttpProxyHandler;
import io.netty.handler.proxy.ProxyConnectionEvent;
import io.netty.handler.proxy.ProxyHandler;
import io.netty.handler.proxy.Socks4ProxyHandler;
import io.netty.handler.proxy.Socks5ProxyHandler;
import java.net.InetSocketAddress;
import org.nios2s.client.PeerProxy;

/**
 * Speaks to proxies with {@code netty-handler-proxy}, which may be missing where there are none: nothing else refers to
 * it. Stateless; any thread.
 */
final class ProxyHandlers {
    private ProxyHandlers() {}

    /**
     * @param address of the proxy, resolved
     * @return what speaks to the proxy before anything else is said
     */
    static ProxyHandler of(final PeerProxy proxy, final InetSocketAddress address) {
        final String user = proxy.user();
        final String password = proxy.password();
        final ProxyHandler handler =
                switch (proxy.kind()) {
                    case SOCKS4 -> new Socks4ProxyHandler(address, user);
                    case SOCKS5 -> new Socks5ProxyHandler(address, user, password);
                    case HTTP ->
                        user == null
                                ? new HttpProxyHandler(address)
                                : new HttpProxyHandler(address, user, password == null ? "" : password);
                };
        // The time for opening a connection has one clock, which knows in which step it is.
        handler.setConnectTimeoutMillis(0);
        return handler;
    }

    /** @return whether the event says that the proxy has led to the peer */
    static boolean isConnected(final Object event) {
        return event instanceof ProxyConnectionEvent;
    }
}
