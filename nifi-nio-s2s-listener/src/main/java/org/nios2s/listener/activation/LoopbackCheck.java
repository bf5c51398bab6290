// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.nios2s.listener.settings.TransportSelection;
import org.nios2s.listener.tls.TlsHandlerFactory;
import org.nios2s.listener.tls.TlsHandlerFactory.Provider;
import org.nios2s.listener.tls.TrialHandshake;

/**
 * The check that sockets and TLS work here: one connection over the loopback interface to a port of its own, served as the listener
 * will serve. A failure shows while the stock listener can still be used. Lives on NiFi's main thread, its server on one IO worker.
 */
final class LoopbackCheck {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final byte[] MESSAGE = "NiFi".getBytes(StandardCharsets.US_ASCII);

    private LoopbackCheck() {}

    /**
     * @param sslContext NiFi's own, or null where Site-to-Site is not secure
     * @throws IllegalStateException if the server does not answer, or can't serve TLS with NiFi's key
     * @throws IOException if there is no connection over loopback
     */
    static void perform(final TransportSelection transport, final Provider provider, final SSLContext sslContext)
            throws IOException {
        final EventLoopGroup worker = transport.workers(1, "Site-to-Site NIO Loopback Check");
        try (TlsHandlerFactory tls = sslContext == null ? null : TlsHandlerFactory.create(sslContext, provider, 1)) {
            final Channel server = transport
                    .bootstrap(worker)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(final Channel channel) {
                            if (tls != null) {
                                channel.pipeline().addLast(tls.create(channel, TIMEOUT));
                            }
                            channel.pipeline().addLast(new CloseOnRead());
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .syncUninterruptibly()
                    .channel();
            connect((InetSocketAddress) server.localAddress(), tls);
        } finally {
            worker.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(TIMEOUT.toMillis());
        }
    }

    private static void connect(final InetSocketAddress server, final TlsHandlerFactory tls) throws IOException {
        final int timeoutMillis = (int) TIMEOUT.toMillis();
        try (Socket peer = new Socket()) {
            peer.connect(server, timeoutMillis);
            peer.setSoTimeout(timeoutMillis);
            if (tls == null) {
                peer.getOutputStream().write(MESSAGE);
                peer.getInputStream().readAllBytes();
            } else {
                TrialHandshake.over(peer);
            }
        } catch (final SSLException e) {
            throw new IllegalStateException(
                    "TLS (%s) can't be served with NiFi's key: %s".formatted(tls.provider(), e), e);
        } catch (final SocketTimeoutException e) {
            throw new IllegalStateException("an IO worker does not answer within " + TIMEOUT.toSeconds() + " s", e);
        }
    }

    /** Closes the connection when it has read something. */
    private static final class CloseOnRead extends SimpleChannelInboundHandler<Object> {
        @Override
        protected void channelRead0(final ChannelHandlerContext context, final Object message) {
            context.close();
        }

        @Override
        public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
            context.close();
        }
    }
}
