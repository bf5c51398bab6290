// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import java.net.InetAddress;
import java.util.Map;
import org.nios2s.listener.sequence.ListenerContext;
import org.nios2s.listener.sequence.MessageSequenceHandler;
import org.nios2s.listener.sequence.WorkerConnections;
import org.nios2s.listener.tls.TlsHandlers;

/** Furnishes an accepted connection. Lives on the connection's IO worker. */
final class ConnectionInitializer extends ChannelInitializer<SocketChannel> {
    private final ListenerContext listener;
    private final TlsHandlers tls;
    private final Map<EventLoop, WorkerConnections> connections;
    private final ConnectionLimit limit;

    /**
     * @param tls makes the handler of a TLS connection, or null where Site-to-Site is not secure
     * @param connections of each IO worker
     */
    ConnectionInitializer(
            final ListenerContext listener,
            final TlsHandlers tls,
            final Map<EventLoop, WorkerConnections> connections,
            final ConnectionLimit limit) {
        this.listener = listener;
        this.tls = tls;
        this.connections = connections;
        this.limit = limit;
    }

    @Override
    protected void initChannel(final SocketChannel channel) {
        if (!admit(channel)) {
            channel.close();
            return;
        }
        listener.metrics().accepted();
        if (tls != null) {
            final SslHandler handler =
                    tls.create(channel.alloc(), listener.settings().handshakeTimeout());
            channel.pipeline().addLast(handler);
        }
        channel.pipeline().addLast(new MessageSequenceHandler(listener, connections.get(channel.eventLoop())));
    }

    private boolean admit(final Channel channel) {
        final InetAddress address = ((SocketChannel) channel).remoteAddress().getAddress();
        try {
            limit.add(address);
        } catch (final PeerFault e) {
            listener.metrics().faulted();
            listener.faultLog().report(address.getHostAddress(), e);
            return false;
        }
        channel.closeFuture().addListener(closed -> limit.remove(address));
        return true;
    }
}
