// SPDX-License-Identifier: Apache-2.0
/** The NIO client of RAW Site-to-Site: its API. */
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
    requires static micrometer.core;
    requires static org.jspecify;

    exports org.nios2s.client;
    exports org.nios2s.client.metrics;
}
