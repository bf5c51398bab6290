// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.net.InetAddress;
import java.util.Map;
import org.nios2s.listener.connection.ListenerContext;
import org.nios2s.listener.connection.MessageSequenceHandler;
import org.nios2s.listener.connection.WorkerConnections;
import org.nios2s.listener.fault.PeerFault;
import org.nios2s.listener.metrics.ListenerMetrics.Count;
import org.nios2s.listener.tls.TlsHandlers;

/** Furnishes an accepted connection. Lives on the connection's IO worker. */
final class ConnectionInitializer extends ChannelInitializer<SocketChannel> {
    private final ListenerContext listener;
    private final TlsHandlers tls;
    private final Map<EventLoop, WorkerConnections> connections;

    /**
     * @param tls makes the handler of a TLS connection, or null where Site-to-Site is not secure
     * @param connections of each IO worker
     */
    ConnectionInitializer(
            final ListenerContext listener,
            final TlsHandlers tls,
            final Map<EventLoop, WorkerConnections> connections) {
        this.listener = listener;
        this.tls = tls;
        this.connections = connections;
    }

    @Override
    protected void initChannel(final SocketChannel channel) {
        final MessageSequenceHandler handler =
                new MessageSequenceHandler(listener, connections.get(channel.eventLoop()));
        if (!admit(channel, handler)) {
            channel.close();
            return;
        }
        listener.metrics().add(Count.CONNECTIONS_ACCEPTED, 1);
        if (tls != null) {
            channel.pipeline()
                    .addLast(tls.create(channel.alloc(), listener.settings().handshakeTimeout()));
        }
        channel.pipeline().addLast(handler);
    }

    private boolean admit(final SocketChannel channel, final MessageSequenceHandler handler) {
        final InetAddress address = channel.remoteAddress().getAddress();
        try {
            listener.connections().add(address, handler);
            channel.closeFuture().addListener(closed -> listener.connections().remove(address, handler));
            listener.handshakes().add(address, handler);
            channel.closeFuture().addListener(closed -> listener.handshakes().remove(address, handler));
            return true;
        } catch (final PeerFault e) {
            listener.metrics().add(Count.FAULTS, 1);
            listener.faultLog().report(address.getHostAddress(), e);
            return false;
        }
    }
}
