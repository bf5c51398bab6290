// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.TransportSelection.Choice;

/** How sockets are served. Lives on the test's thread. */
class TransportSelectionTest {
    @Test
    @DisplayName("auto is epoll where it loads, and nio elsewhere")
    void auto() {
        assertEquals(
                Epoll.isAvailable() ? "epoll" : "nio",
                TransportSelection.select(Choice.AUTO).name());
    }

    @Test
    @DisplayName("nio is nio, whatever loads")
    void nio() {
        assertEquals("nio", TransportSelection.select(Choice.NIO).name());
    }

    @Test
    @DisplayName("epoll that does not load is an error that says what to do")
    void epollMissing() {
        assumeFalse(Epoll.isAvailable());
        final String message = assertThrows(
                        IllegalArgumentException.class, () -> TransportSelection.select(Choice.EPOLL))
                .getMessage();
        assertTrue(message.contains("use auto or nio"), message);
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "NIO"})
    @DisplayName("the selected transport has as many workers as asked for")
    void workers(final Choice choice) {
        final EventLoopGroup group =
                TransportSelection.select(choice).group().apply(3, new DefaultThreadFactory("Worker", true));
        int workers = 0;
        for (final var worker : group) {
            assertFalse(worker.isShuttingDown());
            workers++;
        }
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        assertEquals(3, workers);
    }
}
