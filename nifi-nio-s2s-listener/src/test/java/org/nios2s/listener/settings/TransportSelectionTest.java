// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.settings.TransportSelection.Choice;

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
    @DisplayName("where epoll does not load auto is nio, and epoll is an error that says why and what to do")
    void epollMissing() {
        final Throwable missing =
                new UnsatisfiedLinkError("could not load").initCause(new IOException("/tmp/epoll.so: read-only"));
        assertEquals(
                "nio (epoll does not load: read-only)",
                TransportSelection.select(Choice.AUTO, missing, true).name());
        assertEquals("nio", TransportSelection.select(Choice.NIO, missing, true).name());
        final IllegalArgumentException failure = assertThrows(
                IllegalArgumentException.class, () -> TransportSelection.select(Choice.EPOLL, missing, true));
        assertEquals("epoll does not load here (read-only); use auto or nio", failure.getMessage());
        assertSame(missing, failure.getCause());
    }

    @Test
    @DisplayName("nio without the module jdk.net says so; epoll does not need that module")
    void jdkNetMissing() {
        assertEquals(
                "nio (no quick acknowledgements: this Java lacks the module jdk.net)",
                TransportSelection.select(Choice.NIO, null, false).name());
        if (Epoll.isAvailable()) {
            assertEquals(
                    "epoll", TransportSelection.select(Choice.AUTO, null, false).name());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTO", "NIO"})
    @DisplayName("the selected transport has as many workers as asked for")
    void workers(final Choice choice) {
        final EventLoopGroup group = TransportSelection.select(choice).workers(3, "Worker");
        int workers = 0;
        for (final var worker : group) {
            assertFalse(worker.isShuttingDown());
            workers++;
        }
        group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        assertEquals(3, workers);
    }
}
