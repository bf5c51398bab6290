// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When the kernel is asked for an acknowledgement. Lives on the test's thread. */
@DisplayName("An acknowledgement")
class QuickAckTest {
    private static final int SMALL = 16;
    private static final int END_OF_STREAM = -1;

    private final AtomicInteger asked = new AtomicInteger();
    private final QuickAck quickAck = new QuickAck(asked::incrementAndGet);

    private void receive(final int bytes) {
        quickAck.received(bytes);
        quickAck.awaitsPeer();
    }

    @Test
    @DisplayName("is asked for when a read leaves a message incomplete")
    void incomplete() {
        receive(SMALL);
        assertEquals(1, asked.get());
    }

    @Test
    @DisplayName("is asked for once for each read")
    void oncePerRead() {
        receive(SMALL);
        quickAck.awaitsPeer();
        assertEquals(1, asked.get());
    }

    @Test
    @DisplayName("is not asked for when nothing has come, or the end of the stream")
    void nothing() {
        quickAck.awaitsPeer();
        receive(END_OF_STREAM);
        assertEquals(0, asked.get());
    }

    @Test
    @DisplayName("goes with an answer that leaves at once")
    void answered() {
        quickAck.received(SMALL);
        quickAck.sent();
        quickAck.awaitsPeer();
        assertEquals(0, asked.get());
    }

    @Test
    @DisplayName("is asked for by every small read, since not every kernel acknowledges a small segment alone")
    void smallReads() {
        receive(SMALL);
        receive(SMALL);
        receive(QuickAck.LARGE_READ_BYTES - 1);
        assertEquals(3, asked.get());
    }

    @Test
    @DisplayName("is asked for once in a large content, and once more behind the next answer")
    void largeReads() {
        for (int reads = 0; reads < 100; reads++) {
            receive(QuickAck.LARGE_READ_BYTES);
        }
        assertEquals(1, asked.get());
        quickAck.sent();
        receive(QuickAck.LARGE_READ_BYTES);
        assertEquals(2, asked.get());
    }
}
