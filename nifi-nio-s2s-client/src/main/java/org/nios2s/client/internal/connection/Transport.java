// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.connection;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How sockets are served. Netty's native epoll is optional: it serves where it is on the class path and loads. Any
 * thread.
 */
public enum Transport {
    /** Netty's native transport, Linux only. */
    EPOLL {
        @Override
        public EventLoopGroup workers(final int threads, final ThreadFactory factory) {
            return new MultiThreadIoEventLoopGroup(threads, factory, EpollIoHandler.newFactory());
        }

        @Override
        Bootstrap bootstrap() {
            return new Bootstrap().channel(EpollSocketChannel.class);
        }
    },
    /** Java's own, everywhere. */
    NIO {
        @Override
        public EventLoopGroup workers(final int threads, final ThreadFactory factory) {
            return new MultiThreadIoEventLoopGroup(threads, factory, NioIoHandler.newFactory());
        }

        @Override
        Bootstrap bootstrap() {
            return new Bootstrap().channel(NioSocketChannel.class);
        }
    };

    private static final Logger logger = LoggerFactory.getLogger(Transport.class);

    /** @return epoll if it can serve here */
    public static Transport best() {
        try {
            return Epoll.isAvailable() ? EPOLL : NIO;
        } catch (final LinkageError e) {
            logger.debug("Java NIO serves, epoll is not on the class path", e);
            return NIO;
        }
    }

    /**
     * @return what serves sockets on such event loops
     * @throws IllegalArgumentException if neither does
     */
    public static Transport of(final EventLoopGroup loops) {
        if (isOf(loops, NioIoHandler.class)) {
            return NIO;
        }
        try {
            if (isOf(loops, EpollIoHandler.class)) {
                return EPOLL;
            }
        } catch (final LinkageError e) {
            logger.debug("Epoll is not on the class path", e);
        }
        throw new IllegalArgumentException(
                "The event loops " + loops + " are neither of Netty's NIO nor of its epoll transport");
    }

    private static boolean isOf(final EventLoopGroup loops, final Class<? extends IoHandler> handler) {
        return loops instanceof final IoEventLoopGroup group && group.isIoType(handler);
    }

    public abstract EventLoopGroup workers(int threads, ThreadFactory factory);

    /** @return makes connections that such workers serve */
    abstract Bootstrap bootstrap();
}
