// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import org.nios2s.harness.load.TargetAddress;

/**
 * Puts a conversation, and TLS below it if there is any, into the pipeline of one connection. Lives on the connection's
 * event loop.
 */
final class WirePipeline extends ChannelInitializer<Channel> {

    private final TargetAddress target;
    private final SslContext tls;
    private final int peer;
    private final Duration timeout;
    private final WireConversation conversation;

    /** The pipeline of a connection that is not made yet. */
    WirePipeline(
            final TargetAddress target,
            final SslContext tls,
            final int peer,
            final Duration timeout,
            final WireConversation conversation) {
        this.target = target;
        this.tls = tls;
        this.peer = peer;
        this.timeout = timeout;
        this.conversation = conversation;
    }

    @Override
    protected void initChannel(final Channel channel) {
        if (tls != null) {
            // JSSE takes host and port only as the key of its session cache.
            final SslHandler handler = tls.newHandler(channel.alloc(), target.host(), peer);
            handler.setHandshakeTimeoutMillis(timeout.toMillis());
            channel.pipeline().addLast(handler);
        }
        channel.pipeline().addLast(conversation);
    }
}
