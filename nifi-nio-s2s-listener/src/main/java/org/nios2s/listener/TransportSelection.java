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

    private static final String LIBRARY_FILE = ".so: ";

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
            throw new IllegalArgumentException(
                    "epoll does not load here (%s); use auto or nio".formatted(reason(epollMissing)), epollMissing);
        }
        return of(
                choice == Choice.NIO ? "nio" : "nio (epoll does not load: %s)".formatted(reason(epollMissing)),
                NioServerSocketChannel.class,
                NioIoHandler::newFactory);
    }

    /** The innermost cause is the system's own; what stands before it are names of temporary files. */
    private static String reason(final Throwable missing) {
        Throwable cause = missing;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        final int files = String.valueOf(cause.getMessage()).lastIndexOf(LIBRARY_FILE);
        return files < 0 ? cause.toString() : cause.getMessage().substring(files + LIBRARY_FILE.length());
    }

    private static TransportSelection of(
            final String name, final Class<? extends ServerChannel> channel, final Supplier<IoHandlerFactory> handler) {
        return new TransportSelection(
                name,
                () -> new ServerBootstrap().channel(channel),
                (threads, factory) -> new MultiThreadIoEventLoopGroup(threads, factory, handler.get()));
    }
}
