// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.net.InetAddress;
import java.util.Map;
import org.nios2s.listener.connection.KeepAlive;
import org.nios2s.listener.connection.ListenerContext;
import org.nios2s.listener.connection.MessageSequenceHandler;
import org.nios2s.listener.connection.WorkerConnections;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.HandshakeLimit;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;

/** Sets accepted connections up, or closes those for which there is no place. Lives on the IO worker of each connection. */
final class ConnectionInitializer extends ChannelInitializer<SocketChannel> {
    private final ListenerContext listener;
    private final Map<EventLoop, WorkerConnections> connections;

    /** @param connections of each IO worker */
    ConnectionInitializer(final ListenerContext listener, final Map<EventLoop, WorkerConnections> connections) {
        this.listener = listener;
        this.connections = connections;
    }

    @Override
    protected void initChannel(final SocketChannel channel) {
        final InetAddress address = channel.remoteAddress().getAddress();
        final boolean isProxied =
                listener.settings().peers().proxyProtocolFrom().test(address);
        final MessageSequenceHandler handler =
                new MessageSequenceHandler(listener, connections.get(channel.eventLoop()));
        try {
            handler.takePlace(channel, address, isProxied);
            // Behind a PROXY header TLS comes later.
            if (!isProxied && listener.endpoint().isSecure()) {
                channel.pipeline().addLast(handler.newTlsHandler(channel, address));
            }
            KeepAlive.set(channel);
            listener.metrics().add(Counter.CONNECTIONS_ACCEPTED, 1);
            channel.pipeline().addLast(handler);
        } catch (final Throwable e) {
            listener.metrics().add(Counter.FAULTS, 1);
            listener.logs().faults().report(address.getHostAddress(), ConnectionFault.of(e, "Setting up a connection"));
            channel.close();
        }
    }

    /** Counts accepted connections, and stops accepting at the limit of handshakes. Lives on the IO worker that accepts. */
    static final class HandshakeCounter extends ChannelInboundHandlerAdapter {
        private final HandshakeLimit handshakes;

        HandshakeCounter(final HandshakeLimit handshakes) {
            this.handshakes = handshakes;
        }

        @Override
        public void handlerAdded(final ChannelHandlerContext context) {
            handshakes.setAcceptor(context.channel().config()::setAutoRead);
        }

        @Override
        public void channelRead(final ChannelHandlerContext context, final Object accepted) {
            final Channel connection = (Channel) accepted;
            handshakes.add(connection);
            connection.closeFuture().addListener(closed -> handshakes.remove(connection));
            context.fireChannelRead(connection);
        }
    }
}
