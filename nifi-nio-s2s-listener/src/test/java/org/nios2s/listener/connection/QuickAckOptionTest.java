// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** TCP_QUICKACK where the platform has it, and where it has not. Lives on the test's thread. */
@DisplayName("TCP_QUICKACK")
class QuickAckOptionTest {
    private final ChannelConfig config = mock(ChannelConfig.class);
    private final Channel channel = mock(Channel.class);
    private final QuickAckOption option = new QuickAckOption();

    @BeforeEach
    void configure() {
        when(channel.config()).thenReturn(config);
    }

    @Test
    @DisplayName("is set each time, since the kernel forgets it")
    void eachTime() {
        when(config.setOption(any(), any())).thenReturn(true);
        assertTrue(option.set(channel));
        assertTrue(option.set(channel));
        verify(config, times(2)).setOption(any(), any());
    }

    @Test
    @DisplayName("is tried once where the platform has none")
    void missing() {
        when(config.setOption(any(), any())).thenReturn(false);
        assertFalse(option.set(channel));
        assertFalse(option.set(channel));
        verify(config).setOption(any(), any());
    }

    @Test
    @DisplayName("is tried again after a connection that was gone")
    void gone() {
        when(config.setOption(any(), any()))
                .thenThrow(new ChannelException("closed"))
                .thenReturn(true);
        assertFalse(option.set(channel));
        assertTrue(option.set(channel));
    }
}
