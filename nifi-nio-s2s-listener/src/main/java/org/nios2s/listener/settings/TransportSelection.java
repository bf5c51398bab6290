// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

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
import io.netty.util.concurrent.DefaultThreadFactory;

/** The transport by which sockets are served on this machine: epoll if it loads, otherwise NIO. Immutable; any thread. */
public record TransportSelection(String name, Class<? extends ServerChannel> channel, IoHandlerFactory handler) {
    /** The values of the setting {@code transport}. */
    public enum Choice {
        AUTO,
        EPOLL,
        NIO
    }

    /** @throws IllegalArgumentException if epoll is chosen and does not load */
    public static TransportSelection select(final Choice choice) {
        return select(choice, Epoll.unavailabilityCause(), JdkNetOptions.FOUND.isPresent());
    }

    /**
     * @param epollMissing the reason why epoll does not load here, or null if it does
     * @param hasJdkNet whether this Java has the options of its module {@code jdk.net}
     */
    static TransportSelection select(final Choice choice, final Throwable epollMissing, final boolean hasJdkNet) {
        if (choice != Choice.NIO && epollMissing == null) {
            return new TransportSelection("epoll", EpollServerSocketChannel.class, EpollIoHandler.newFactory());
        }
        if (choice == Choice.EPOLL) {
            throw new IllegalArgumentException(
                    "epoll does not load here (%s); use auto or nio".formatted(reason(epollMissing)), epollMissing);
        }
        String name = "nio";
        if (choice == Choice.AUTO) {
            name = "nio (epoll does not load: %s)".formatted(reason(epollMissing));
        }
        if (!hasJdkNet) {
            name += " (no quick acknowledgements: this Java lacks the module jdk.net)";
        }
        return new TransportSelection(name, NioServerSocketChannel.class, NioIoHandler.newFactory());
    }

    /** Finds the innermost cause, which is the system's own; the text before it names temporary files. */
    private static String reason(final Throwable missing) {
        Throwable cause = missing;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.toString().replaceFirst(".*\\.so: ", "");
    }

    public EventLoopGroup workers(final int threads, final String name) {
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name, true), handler);
    }

    public ServerBootstrap bootstrap(final EventLoopGroup workers) {
        return new ServerBootstrap().channel(channel).group(workers);
    }
}
