// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.nios2s.listener.settings.JdkNetOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sets TCP_QUICKACK on channels, where the platform has it: on Linux. Thread-safe. */
final class QuickAckOption {
    private static final Logger logger = LoggerFactory.getLogger(QuickAckOption.class);

    private final AtomicBoolean missing = new AtomicBoolean();

    /** @return whether the kernel was asked */
    boolean set(final Channel channel) {
        if (missing.get()) {
            return false;
        }
        try {
            final Optional<ChannelOption<Boolean>> option = optionOf(channel);
            if (option.isPresent() && channel.config().setOption(option.get(), true)) {
                return true;
            }
        } catch (final ChannelException e) {
            // The peer may have gone. That says nothing about the platform, so the next connection tries again.
            logger.debug("TCP_QUICKACK can't be set for {}", channel.remoteAddress(), e);
            return false;
        }
        if (missing.compareAndSet(false, true)) {
            logger.debug(
                    "This platform has no TCP_QUICKACK: peers without TCP_NODELAY wait for its delayed acknowledgements");
        }
        return false;
    }

    private static Optional<ChannelOption<Boolean>> optionOf(final Channel channel) {
        if (channel instanceof EpollSocketChannel) {
            return Optional.of(EpollChannelOption.TCP_QUICKACK);
        }
        return JdkNetOptions.FOUND.map(JdkNetOptions::quickAck);
    }
}
