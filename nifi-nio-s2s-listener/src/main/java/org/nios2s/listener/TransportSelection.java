/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollMode;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
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
        if (choice != Choice.NIO && Epoll.isAvailable()) {
            return new TransportSelection("epoll", TransportSelection::epollBootstrap, EpollEventLoopGroup::new);
        }
        if (choice == Choice.EPOLL) {
            throw new IllegalArgumentException(
                    "epoll does not load here; use auto or nio", Epoll.unavailabilityCause());
        }
        return new TransportSelection(
                "nio", () -> new ServerBootstrap().channel(NioServerSocketChannel.class), NioEventLoopGroup::new);
    }

    /** By edge, as Netty 4.1 would, every message costs a second read that finds nothing. Netty 4.2 always triggers by level. */
    private static ServerBootstrap epollBootstrap() {
        return new ServerBootstrap()
                .channel(EpollServerSocketChannel.class)
                .childOption(EpollChannelOption.EPOLL_MODE, EpollMode.LEVEL_TRIGGERED);
    }
}
