// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import org.nios2s.listener.settings.JdkNetOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the kernel probe silent peers, and end the connections of those that do not answer. Lives on the connection's IO
 * worker.
 *
 * <p>A peer that loses its line sends no FIN. If it asked for no expiration, or idle connections never time out, only the
 * probes free what it holds. The probes also keep firewalls and address translators from forgetting the connection.
 * On a platform without these options its own times apply, often two hours.
 */
public final class KeepAlive {
    /** Silence before the first probe: shorter than what common address translators allow. */
    static final int IDLE_SECONDS = 120;

    static final int INTERVAL_SECONDS = 30;

    /** Probes without an answer until the peer is taken to be gone: four minutes after its last sign of life. */
    static final int PROBES = 4;

    private static final Logger logger = LoggerFactory.getLogger(KeepAlive.class);

    private KeepAlive() {}

    public static void set(final Channel channel) {
        set(channel, ChannelOption.SO_KEEPALIVE, true);
        if (channel instanceof EpollSocketChannel) {
            set(channel, EpollChannelOption.TCP_KEEPIDLE, IDLE_SECONDS);
            set(channel, EpollChannelOption.TCP_KEEPINTVL, INTERVAL_SECONDS);
            set(channel, EpollChannelOption.TCP_KEEPCNT, PROBES);
        } else {
            JdkNetOptions.FOUND.ifPresent(options -> {
                set(channel, options.keepIdle(), IDLE_SECONDS);
                set(channel, options.keepInterval(), INTERVAL_SECONDS);
                set(channel, options.keepCount(), PROBES);
            });
        }
    }

    private static <T> void set(final Channel channel, final ChannelOption<T> option, final T value) {
        try {
            if (!channel.config().setOption(option, value)) {
                logger.debug("This platform has no {}", option);
            }
        } catch (final ChannelException e) {
            // The peer may have gone already, which the next read finds out.
            logger.debug("{} can't be set for {}", option, channel.remoteAddress(), e);
        }
    }
}
