// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.metrics.ListenerMetrics.Counter;
import org.nios2s.listener.port.RecordingPort;
import org.nios2s.peers.TestPeer;

/**
 * All ports but one stand still, with peers that wait there. Lives on the test's thread, with a clock that the test sets.
 *
 * <p>Ports share memory, and permits of two kinds. Each of them is kept from the healthy port in one of two ways: what waits for a
 * port would hold it, or what has to wait with it holds all of it. Places and room are a port's own, so no other port is concerned. A
 * connection and a handshake belong to no port, and a turn to write ends by itself.
 */
@DisplayName("Beside two ports that stand still")
class BlockedPortsTest {
    private static final List<String> BLOCKED = List.of("other port", "third port");
    private static final Duration PATIENCE = Duration.ofSeconds(6);
    private static final Duration STEP = Duration.ofMillis(250);
    private static final long DEADLINE_SECONDS = 20;
    private static final int LARGE = 100_000;
    /** Of all ports together. */
    private static final int MOST_STREAMS = 8;

    private static final Set<String> WAITS =
            Set.of("AdmitTransactionStep", "AwaitSessionStep", "AwaitRoomStep", "AwaitFlowFilesStep");

    /** What waits at the ports that stand still. */
    private enum Waiting {
        /** They want to stream, and hold no permit meanwhile: half of all are there for the healthy port. */
        FOR_A_SESSION(HonestTransaction.PUSH, 8, 8, 4),
        /** They have streamed and hold the only two permits: the healthy port has one of its own. */
        WITH_A_SESSION(HonestTransaction.PUSH, 2, 1, 1) {
            @Override
            void begin(final SteppedListener listener, final RecordingPort port, final List<TestPeer> peers)
                    throws IOException {
                final int before = (int) listener.stepsNamed("ReceiveIndicatorStep");
                send(peers, LARGE);
                listener.awaitSteps("ReceiveIndicatorStep", before + peers.size());
                port.full(true);
                finish(peers);
            }
        },
        /** They hold all memory but what is the healthy port's own. */
        WITH_MEMORY(HonestTransaction.PUSH, 8, 45, 1) {
            @Override
            int bytes() {
                return 15_000;
            }
        },
        /** They want to pull, and hold no permit meanwhile: half of all are there for the healthy port. */
        FOR_FLOWFILES(HonestTransaction.PULL, 2, 8, 4) {
            @Override
            void begin(final SteppedListener listener, final RecordingPort port, final List<TestPeer> peers)
                    throws IOException {
                port.scheduled(false);
                port.queue(Map.of(), new byte[1]);
                for (final TestPeer peer : peers) {
                    peer.request("RECEIVE_FLOWFILES").flush();
                }
            }
        };

        private final HonestTransaction transaction;
        private final int permits;
        private final int atEach;
        /** As many as the healthy port has to serve at once. */
        private final int honest;

        Waiting(final HonestTransaction transaction, final int permits, final int atEach, final int honest) {
            this.transaction = transaction;
            this.permits = permits;
            this.atEach = atEach;
            this.honest = honest;
        }

        void begin(final SteppedListener listener, final RecordingPort port, final List<TestPeer> peers)
                throws IOException {
            port.full(true);
            send(peers, bytes());
            finish(peers);
        }

        int bytes() {
            return LARGE;
        }

        private static void send(final List<TestPeer> peers, final int bytes) throws IOException {
            for (final TestPeer peer : peers) {
                peer.push().packet(Map.of(), HonestTransaction.content(bytes)).flush();
            }
        }

        private static void finish(final List<TestPeer> peers) throws IOException {
            for (final TestPeer peer : peers) {
                peer.say(ResponseCode.FINISH_TRANSACTION).flush();
            }
        }
    }

    private final AtomicLong clock = new AtomicLong(System.nanoTime());
    private final List<TestPeer> all = new ArrayList<>();

    @ParameterizedTest
    @EnumSource
    @DisplayName("a healthy one serves as many large transactions at once as ever, and nobody is cut")
    void healthyPort(final Waiting waiting) throws Exception {
        try (SteppedListener listener = new SteppedListener(
                clock::get,
                "streaming.transactions",
                String.valueOf(waiting.permits),
                "transaction.memory",
                "64 KB",
                "buffer.memory",
                "1 MB")) {
            final HonestTransaction transaction = waiting.transaction;
            final List<TestPeer> honest = connect(listener, transaction.port(), waiting.honest);
            for (final String id : BLOCKED) {
                final RecordingPort port = listener.addPort(transaction.portType(), id);
                waiting.begin(listener, port, connect(listener, id, waiting.atEach));
            }
            SteppedListener.awaiting()
                    .until(() ->
                            WAITS.stream().mapToLong(listener::stepsNamed).sum() == BLOCKED.size() * waiting.atEach);
            listener.passTime(clock, PATIENCE);
            final byte[] content = HonestTransaction.content(LARGE);
            honest.forEach(peer -> listener.output().queue(Map.of(), content));
            atOnce(listener, honest, peer -> transaction.begin(peer, Map.of(), content));
            atOnce(listener, honest, transaction::end);
            assertEquals(0, listener.metrics().get(Counter.FAULTS));
            for (final TestPeer peer : all) {
                peer.close();
            }
        }
    }

    private List<TestPeer> connect(final SteppedListener listener, final String port, final int peers)
            throws IOException {
        final List<TestPeer> connected = new ArrayList<>();
        for (int i = 0; i < peers; i++) {
            connected.add(listener.connectFrom("127.0.1." + (all.size() + 1)).open(port, "BATCH_COUNT", "1"));
            all.add(connected.getLast());
        }
        return connected;
    }

    /** All do their part within a few seconds of the clock, and as many of the machine's as that takes. */
    private void atOnce(final SteppedListener listener, final List<TestPeer> peers, final HonestTransaction.Part part)
            throws Exception {
        final CompletableFuture<Void> done = HonestTransaction.allDo(peers, part);
        Duration passed = Duration.ZERO;
        while (!done.isDone() && passed.compareTo(PATIENCE) < 0) {
            listener.passTime(clock, STEP);
            passed = passed.plus(STEP);
        }
        done.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertTrue(listener.budget().used() <= listener.budget().bound(MOST_STREAMS), "used more than the bound");
    }
}
