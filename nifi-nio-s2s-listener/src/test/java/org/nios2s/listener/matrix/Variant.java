// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

/** How a listener serves its sockets. Immutable; any thread. */
enum Variant {
    PLAIN_EPOLL("epoll", null),
    PLAIN_NIO("nio", null),
    BORINGSSL_EPOLL("epoll", "openssl"),
    BORINGSSL_NIO("nio", "openssl"),
    JDK_TLS_EPOLL("epoll", "jdk"),
    JDK_TLS_NIO("nio", "jdk");

    private final String transport;
    private final String tlsProvider;

    Variant(final String transport, final String tlsProvider) {
        this.transport = transport;
        this.tlsProvider = tlsProvider;
    }

    String transport() {
        return transport;
    }

    /** @return what does the arithmetic of TLS, or null for plain TCP */
    String tlsProvider() {
        return tlsProvider;
    }

    boolean isEpoll() {
        return "epoll".equals(transport);
    }

    boolean isSecure() {
        return tlsProvider != null;
    }
}
