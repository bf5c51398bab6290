// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.load.Wan;

/** What a sender holds back with and without TCP_NODELAY, by a clock that the test sets. Runs on the test's thread. */
class SegmenterTest {

    private static final long DELAY = Duration.ofMillis(40).toNanos();
    private static final int FULL = SegmentTimes.SEGMENT_BYTES;

    private final List<String> sent = new ArrayList<>();

    private static Segmenter segmenter(final boolean tcpNoDelay) {
        final Wan wan = new Wan(Duration.ofNanos(DELAY), Duration.ZERO, 0);
        return new Segmenter(new SegmentTimes(wan, new SplittableRandom(1), 0), tcpNoDelay, 0);
    }

    private void send(final int length, final long dueNanos) {
        sent.add(sent(length, dueNanos));
    }

    private static String sent(final int length, final long dueNanos) {
        return length + " at " + dueNanos;
    }

    @Test
    void withTcpNoDelayNothingIsHeldBack() {
        final Segmenter segmenter = segmenter(true);

        segmenter.write(4, 0, this::send);
        segmenter.write(4, 1, this::send);
        segmenter.write(2 * FULL + 4, 2, this::send);

        assertEquals(List.of(sent(4, DELAY), sent(4, DELAY + 1), sent(2 * FULL, DELAY + 2), sent(4, DELAY + 2)), sent);
    }

    @Test
    void aSecondPartWaitsForTheAcknowledgementOfTheFirst() {
        final Segmenter segmenter = segmenter(false);

        segmenter.write(4, 0, this::send);
        segmenter.write(4, 1, this::send);
        assertEquals(OptionalLong.of(2 * DELAY), segmenter.heldUntilNanos());
        segmenter.acknowledge(2 * DELAY - 1, this::send);
        assertEquals(List.of(sent(4, DELAY)), sent);
        segmenter.acknowledge(2 * DELAY, this::send);

        assertEquals(List.of(sent(4, DELAY), sent(4, 3 * DELAY)), sent);
        assertEquals(OptionalLong.empty(), segmenter.heldUntilNanos());
    }

    @Test
    void whatIsHeldBackGrowsToAFullSegmentWhichDoesNotWait() {
        final Segmenter segmenter = segmenter(false);

        segmenter.write(4, 0, this::send);
        segmenter.write(4, 1, this::send);
        segmenter.write(FULL, 2, this::send);

        assertEquals(List.of(sent(4, DELAY), sent(FULL, DELAY + 2)), sent);
        assertEquals(OptionalLong.of(2 * DELAY), segmenter.heldUntilNanos(), "the four bytes behind it");
    }

    @Test
    void theTailOfALargeMessageIsSentAtOnceIfNoOtherPartIsOnItsWay() {
        final Segmenter segmenter = segmenter(false);

        segmenter.write(2 * FULL + 4, 0, this::send);

        assertEquals(List.of(sent(2 * FULL, DELAY), sent(4, DELAY)), sent);
    }

    @Test
    void whatIsHeldBackGoesWithTheEndOfTheStream() {
        final Segmenter segmenter = segmenter(false);

        segmenter.write(4, 0, this::send);
        segmenter.write(4, 1, this::send);
        segmenter.end(2, this::send);

        assertEquals(List.of(sent(4, DELAY), sent(4, DELAY + 2)), sent);
    }
}
