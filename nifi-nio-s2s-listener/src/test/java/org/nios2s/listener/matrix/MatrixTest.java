// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.nios2s.peers.TestPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Place × misbehaviour × transport: each cell ends as expected, and leaves everything as it was. Lives on the test's thread;
 * peers that stall, which takes time, do so all at once on threads of their own.
 */
class MatrixTest {
    private static final Logger logger = LoggerFactory.getLogger(MatrixTest.class);

    /** Which are tried; {@code -Dmatrix=.*}, or {@code -Pfull}, for all. */
    private static final String VARIANTS = System.getProperty("matrix", "PLAIN_EPOLL");

    private static final int PATIENCE_MILLIS = 20_000;
    /** Long enough to see an end that has come already. */
    private static final int AT_ONCE_MILLIS = 1;

    /** So many connections reach every IO worker. */
    private static final int OTHERS = 4 * Runtime.getRuntime().availableProcessors();

    private static final byte[] GARBAGE = new byte[70_000];

    /** A peer that reads nothing goes on until it has sent so much, or the listener takes no more. */
    private static final int ENDLESS_BYTES = 16 * 1024 * 1024;

    private static final int ENDLESS_MILLIS = 1_500;
    private static final long MOST_HELD_BYTES = 4L * 1024 * 1024;

    private static final AtomicInteger CELLS = new AtomicInteger();

    private MatrixListener listener;

    static {
        Arrays.fill(GARBAGE, (byte) 0xFF);
    }

    @AfterEach
    void stop() {
        if (listener != null) {
            listener.close();
        }
    }

    @AfterAll
    static void count() {
        logger.info("{} cells of the matrix were tried", CELLS);
    }

    @TestFactory
    Stream<DynamicContainer> everyCell() {
        return Arrays.stream(Variant.values())
                .filter(variant -> variant.name().matches(VARIANTS))
                .map(variant -> DynamicContainer.dynamicContainer(
                        variant.name(), Stream.concat(Stream.of(start(variant)), cellsOf())));
    }

    private DynamicTest start(final Variant variant) {
        return DynamicTest.dynamicTest("starts", () -> {
            stop();
            listener = new MatrixListener(variant);
            listener.probe();
            listener.awaitAsBefore();
        });
    }

    private Stream<DynamicTest> cellsOf() {
        final List<DynamicTest> tests = new ArrayList<>();
        final Stalled stalled = new Stalled();
        for (final Misbehaviour misbehaviour : Misbehaviour.values()) {
            for (final Place place : Place.values()) {
                if (isPossible(place, misbehaviour)) {
                    tests.add(DynamicTest.dynamicTest(
                            misbehaviour + " at " + place, () -> runCell(place, misbehaviour, stalled)));
                }
            }
            tests.add(DynamicTest.dynamicTest("honest peers after " + misbehaviour, () -> {
                listener.probe();
                listener.awaitAsBefore();
            }));
        }
        return tests.stream();
    }

    private static boolean isPossible(final Place place, final Misbehaviour misbehaviour) {
        return switch (misbehaviour) {
            case OVER_LONG -> place.overLong() != null;
            case ANSWERS_NOT_READ -> place.endless() != null;
            default -> true;
        };
    }

    /** A failure names the cell: not every report of the build does. */
    private void runCell(final Place place, final Misbehaviour misbehaviour, final Stalled stalled) {
        try {
            run(place, misbehaviour, stalled);
        } catch (final Exception | AssertionError e) {
            throw new AssertionError(listener.variant() + ": " + misbehaviour + " at " + place + ": " + e, e);
        }
    }

    private void run(final Place place, final Misbehaviour misbehaviour, final Stalled stalled) throws Exception {
        CELLS.incrementAndGet();
        final int commits = listener.commits();
        try {
            if (misbehaviour == Misbehaviour.STALL && !place.sharesPort()) {
                assertTrue(stalled.isEnded(place), "a peer that stalls keeps its connection");
            } else {
                misbehave(place, misbehaviour);
            }
        } finally {
            listener.awaitAsBefore();
            listener.takeBack();
        }
        final End end = Ends.of(place, misbehaviour);
        final int committed = listener.commits() - commits;
        assertTrue(end.fewest() <= committed && committed <= end.most(), () -> committed + " commits, not " + end);
    }

    private void misbehave(final Place place, final Misbehaviour misbehaviour) throws Exception {
        listener.expireSoon(misbehaviour == Misbehaviour.STALL);
        try (TestPeer peer = listener.connect()) {
            place.reach(peer, listener);
            switch (misbehaviour) {
                case LEAVE -> peer.leave();
                case RESET -> peer.reset();
                case HALF_CLOSE -> peer.halfClose();
                case GARBAGE -> peer.trySay(GARBAGE);
                case TRUNCATED -> {
                    peer.say(Arrays.copyOf(place.message(), place.message().length / 2));
                    peer.halfClose();
                }
                case OVER_LONG -> peer.trySay(place.overLong());
                case REPEATED -> peer.trySay(place.message(), place.message());
                case OUT_OF_ORDER -> peer.trySay(place.outOfOrder());
                case ANSWERS_NOT_READ -> sayEndlessly(peer, place.endless());
                default -> peer.say();
            }
            if (misbehaviour.isGone()) {
                expectGone(place);
            } else if (misbehaviour != Misbehaviour.ANSWERS_NOT_READ) {
                expectEnd(peer, place, misbehaviour);
            }
        } finally {
            listener.expireSoon(false);
        }
    }

    /** NIO does not tell of a peer that leaves while its bytes wait unread: that is seen when the wait is over. */
    private void expectGone(final Place place) {
        if (place == Place.STREAMED_SESSION && !listener.variant().isEpoll()) {
            listener.input().scheduled(true);
        }
        listener.awaitNoConnection();
    }

    private void expectEnd(final TestPeer peer, final Place place, final Misbehaviour misbehaviour) throws IOException {
        final End end = Ends.of(place, misbehaviour);
        if (misbehaviour != Misbehaviour.STALL) {
            listener.input().scheduled(true);
            listener.output().scheduled(true);
        }
        if (end.closed()) {
            assertTrue(peer.isEndedWithin(PATIENCE_MILLIS), "the connection stays open");
        } else {
            serveOthers();
            assertFalse(peer.isEndedWithin(AT_ONCE_MILLIS), "the connection is closed");
        }
    }

    /** When these have been served, what a peer said before has been read, whichever worker it has. */
    private void serveOthers() throws IOException {
        for (int other = 0; other < OTHERS; other++) {
            try (TestPeer honest = listener.connect()) {
                honest.shakeHands(null, listener.properties());
            }
        }
    }

    private void sayEndlessly(final TestPeer peer, final byte[] message) throws Exception {
        final byte[][] many = new byte[ENDLESS_BYTES / message.length / 100][];
        Arrays.fill(many, message);
        final Thread talker = Thread.ofVirtual().start(() -> {
            for (int i = 0; i < 100; i++) {
                peer.trySay(many);
            }
        });
        talker.join(ENDLESS_MILLIS);
        final long held = MatrixListener.pinnedBytes();
        peer.reset();
        talker.join();
        assertTrue(held <= MOST_HELD_BYTES, () -> held + " bytes are held for a peer that reads no answer");
    }

    /** All peers that stall where it is their turn, at the same time. */
    private final class Stalled {
        private Map<Place, Future<Boolean>> ended;

        boolean isEnded(final Place place) throws Exception {
            if (ended == null) {
                stallEverywhere();
            }
            return ended.get(place).get();
        }

        private void stallEverywhere() throws Exception {
            ended = new EnumMap<>(Place.class);
            listener.expireSoon(true);
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (final Place place : Place.values()) {
                    if (!place.sharesPort()) {
                        ended.put(place, threads.submit(() -> stall(place)));
                    }
                }
            } finally {
                listener.expireSoon(false);
            }
        }

        private boolean stall(final Place place) throws IOException {
            try (TestPeer peer = listener.connect()) {
                place.reach(peer, listener);
                return peer.isEndedWithin(PATIENCE_MILLIS);
            }
        }
    }
}
