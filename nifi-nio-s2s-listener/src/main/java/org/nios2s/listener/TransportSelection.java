// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.concurrent.ThreadFactory;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * How sockets are served on this machine: epoll where it loads, else NIO. Immutable; any thread.
 *
 * @param name for the log
 * @param bootstrap makes listening channels that such workers serve
 * @param group makes the IO workers
 */
public record TransportSelection(
        String name, Supplier<ServerBootstrap> bootstrap, BiFunction<Integer, ThreadFactory, EventLoopGroup> group) {

    /** What can be asked for in the settings. */
    public enum Choice {
        AUTO,
        EPOLL,
        NIO
    }

    /**
     * @throws IllegalArgumentException if epoll was asked for and does not load
     */
    public static TransportSelection select(final Choice choice) {
        return select(choice, Epoll.unavailabilityCause());
    }

    /** @param epollMissing why epoll does not load here, or null where it does */
    static TransportSelection select(final Choice choice, final Throwable epollMissing) {
        if (choice != Choice.NIO && epollMissing == null) {
            return of("epoll", EpollServerSocketChannel.class, EpollIoHandler::newFactory);
        }
        if (choice == Choice.EPOLL) {
            throw new IllegalArgumentException("epoll does not load here; use auto or nio", epollMissing);
        }
        return of("nio", NioServerSocketChannel.class, NioIoHandler::newFactory);
    }

    private static TransportSelection of(
            final String name, final Class<? extends ServerChannel> channel, final Supplier<IoHandlerFactory> handler) {
        return new TransportSelection(
                name,
                () -> new ServerBootstrap().channel(channel),
                (threads, factory) -> new MultiThreadIoEventLoopGroup(threads, factory, handler.get()));
    }
}
