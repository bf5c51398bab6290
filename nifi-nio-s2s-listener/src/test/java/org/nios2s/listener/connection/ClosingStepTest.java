// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.time.NanoClock;

/** What a peer may still do to which nothing more is said. Lives on the test's thread. */
class ClosingStepTest {
    private static final int DROPPED_BYTES = 64 * 1024;

    @Test
    @DisplayName("a peer may end its sentence, and is cut if that has no end")
    void dropsSome() {
        final EmbeddedChannel channel = new EmbeddedChannel();
        final ClosingStep closing = new ClosingStep(channel, NanoClock.SYSTEM);
        closing.receive(Unpooled.wrappedBuffer(new byte[DROPPED_BYTES]));
        assertTrue(channel.isActive());
        closing.receive(Unpooled.wrappedBuffer(new byte[1]));
        assertFalse(channel.isActive());
    }
}
