// SPDX-License-Identifier: Apache-2.0
/**
 * The NIO client of RAW Site-to-Site: its API, and the drop-in for programs that are written for NiFi's client.
 *
 * <p>The drop-in alone needs NiFi's client. NiFi's jars have packages in common, so a program that uses it has all of them on
 * the class path.
 */
@SuppressWarnings("requires-automatic")
module org.nios2s.client {
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.resolver;
    requires transitive io.netty.transport;
    requires java.net.http;
    requires org.nios2s.wire;
    requires org.slf4j;
    requires static io.netty.handler.proxy;
    requires static io.netty.transport.classes.epoll;
    requires static org.jspecify;
    requires static nifi.site.to.site.client;

    exports org.nios2s.client;
    exports org.nios2s.client.nifi;
}
