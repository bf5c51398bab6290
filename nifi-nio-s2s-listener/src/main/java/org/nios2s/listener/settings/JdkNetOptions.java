// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import java.util.Optional;
import jdk.net.ExtendedSocketOptions;

/**
 * The options of sockets that Java has in its module {@code jdk.net}, for channels of NIO. Immutable; any thread.
 *
 * <p>A runtime image may lack that module. The listener serves without these options: the system's own settings apply.
 *
 * @param quickAck TCP_QUICKACK
 * @param keepIdle TCP_KEEPIDLE
 * @param keepInterval TCP_KEEPINTERVAL
 * @param keepCount TCP_KEEPCOUNT
 */
public record JdkNetOptions(
        ChannelOption<Boolean> quickAck,
        ChannelOption<Integer> keepIdle,
        ChannelOption<Integer> keepInterval,
        ChannelOption<Integer> keepCount) {
    /** The options of this Java; empty without the module. */
    public static final Optional<JdkNetOptions> FOUND = find();

    private static Optional<JdkNetOptions> find() {
        try {
            return Optional.of(new JdkNetOptions(
                    NioChannelOption.of(ExtendedSocketOptions.TCP_QUICKACK),
                    NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE),
                    NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL),
                    NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT)));
        } catch (final LinkageError e) {
            return Optional.empty();
        }
    }
}
