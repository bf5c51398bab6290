// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.peers.TestPeer;

/**
 * A whole conversation as one input, in two pieces, to the whole listener on a real socket: it ends, nothing of it is left, and
 * whatever is wrong with it is the peer's fault. Lives on the test's thread.
 */
class ConversationFuzzTest {
    private static final String HOST = "localhost";
    private static final String MAX_DURATION = "20s";
    private static final Path SEEDS = Path.of("src", "test", "resources", "conversation-seeds.txt");
    private static final int PATIENCE_MILLIS = 20_000;
    private static final byte[] CONTENT = new byte[100];

    private static MatrixListener listener;

    /** What is said in the conversations of the fidelity corpus. */
    static Stream<Arguments> conversations() throws IOException {
        return Files.readAllLines(SEEDS).stream()
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .map(hex -> Arguments.of(Integer.MAX_VALUE, HexFormat.of().parseHex(hex)));
    }

    @AfterAll
    static void stop() {
        if (listener != null) {
            listener.close();
            listener = null;
        }
    }

    @MethodSource("conversations")
    @FuzzTest(maxDuration = MAX_DURATION)
    void everyConversationEndsAndLeavesNothing(final int split, final byte[] conversation) throws Exception {
        if (conversation == null) {
            return;
        }
        // Jazzer takes a connection for a finding; the one to the listener is meant.
        BugDetectors.allowNetworkConnections((host, port) -> HOST.equals(host));
        if (listener == null) {
            listener = new MatrixListener(Variant.PLAIN_NIO);
        }
        listener.offerOne(CONTENT);
        try (TestPeer peer = listener.connect()) {
            final int first = Math.floorMod(split, conversation.length + 1);
            peer.trySay(Arrays.copyOf(conversation, first));
            peer.trySay(Arrays.copyOfRange(conversation, first, conversation.length));
            peer.halfClose();
            assertTrue(peer.isEndedWithin(PATIENCE_MILLIS), "the connection stays open");
        }
        listener.awaitAsBefore();
        assertEquals(0, listener.internalFaults(), "faults that lie with the listener");
    }
}
