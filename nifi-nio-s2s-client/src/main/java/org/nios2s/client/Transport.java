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
package org.nios2s.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollMode;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How sockets are served. Netty's native epoll is optional: it serves where it is on the class path and loads. Any
 * thread.
 */
enum Transport {
    /** Netty's native transport, Linux only. */
    EPOLL {
        @Override
        EventLoopGroup workers(final int threads, final ThreadFactory factory) {
            return new EpollEventLoopGroup(threads, factory);
        }

        @Override
        Bootstrap bootstrap() {
            // By edge, Netty 4.1's default, every message costs a second read that finds nothing.
            return new Bootstrap()
                    .channel(EpollSocketChannel.class)
                    .option(EpollChannelOption.EPOLL_MODE, EpollMode.LEVEL_TRIGGERED);
        }
    },
    /** Java's own, everywhere. */
    NIO {
        @Override
        EventLoopGroup workers(final int threads, final ThreadFactory factory) {
            return new NioEventLoopGroup(threads, factory);
        }

        @Override
        Bootstrap bootstrap() {
            return new Bootstrap().channel(NioSocketChannel.class);
        }
    };

    private static final Logger logger = LoggerFactory.getLogger(Transport.class);

    /** @return epoll if it can serve here */
    static Transport best() {
        try {
            return Epoll.isAvailable() ? EPOLL : NIO;
        } catch (final LinkageError e) {
            logger.debug("Java NIO serves, epoll is not on the class path", e);
            return NIO;
        }
    }

    abstract EventLoopGroup workers(int threads, ThreadFactory factory);

    /** @return makes connections that such workers serve */
    abstract Bootstrap bootstrap();
}
