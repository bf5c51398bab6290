// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** The search for the largest count without a failure. Runs on the test's thread. */
class BoundarySearchTest {

    private final List<Integer> tried = new ArrayList<>();

    @Test
    void countsGrowUntilOneFailsThenTheGapIsHalved() {
        final BoundarySearch search = search(new BoundarySearch(1_000, 10_000, 1.5, 0.1), count -> count <= 1_700);

        assertEquals(List.of(1_000, 1_500, 2_250, 1_875, 1_687, 1_781, 1_687, 1_781), tried);
        assertEquals(1_687, search.largestWithoutFailure());
        assertEquals(1_781, search.smallestWithFailure());
    }

    @Test
    void aCoarseSearchDoesNotCloseIn() {
        final BoundarySearch search = search(new BoundarySearch(1_000, 8_000, 2, 1), count -> count < 4_000);

        assertEquals(List.of(1_000, 2_000, 4_000, 2_000, 4_000), tried);
        assertEquals(2_000, search.largestWithoutFailure());
        assertEquals(4_000, search.smallestWithFailure());
    }

    @Test
    void nothingIsTriedBeyondTheMost() {
        final BoundarySearch search = search(new BoundarySearch(1_000, 2_000, 1.5, 0.1), count -> true);

        assertEquals(List.of(1_000, 1_500, 2_000, 2_000), tried);
        assertEquals(2_000, search.largestWithoutFailure());
        assertEquals(0, search.smallestWithFailure());
    }

    @Test
    void aFirstCountThatFailsIsHalvedUntilOneDoesNot() {
        final BoundarySearch search = search(new BoundarySearch(1_000, 2_000, 1.5, 0.1), count -> count <= 130);

        assertEquals(1_000, tried.getFirst());
        assertEquals(500, tried.get(1));
        assertEquals(125, search.largestWithoutFailure());
    }

    @Test
    void whereEverythingFailsThereIsNoLargestCount() {
        final BoundarySearch search = search(new BoundarySearch(8, 16, 2, 0.1), count -> false);

        assertEquals(List.of(8, 4, 2, 1, 1), tried);
        assertEquals(0, search.largestWithoutFailure());
        assertEquals(1, search.smallestWithFailure());
    }

    @Test
    void aCountThatFailedByChanceIsTriedAgainAndMoreAfterIt() {
        final BoundarySearch search =
                search(new BoundarySearch(1_000, 4_000, 2, 1), count -> count < 4_000 && !isFirst(count, 2_000));

        assertEquals(List.of(1_000, 2_000, 1_000, 2_000, 2_000, 4_000, 4_000), tried);
        assertEquals(2_000, search.largestWithoutFailure());
        assertEquals(4_000, search.smallestWithFailure());
    }

    @Test
    void aCountThatPassedByChanceIsTriedAgainAndFewerAfterIt() {
        final BoundarySearch search =
                search(new BoundarySearch(1_000, 4_000, 2, 0.5), count -> count < 1_200 || isFirst(count, 2_000));

        assertEquals(List.of(1_000, 2_000, 4_000, 3_000, 2_000, 2_000, 1_500, 1_000, 1_500), tried);
        assertEquals(1_000, search.largestWithoutFailure());
        assertEquals(1_500, search.smallestWithFailure());
    }

    @Test
    void impossibleBoundsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new BoundarySearch(0, 10, 2, 0.1));
        assertThrows(IllegalArgumentException.class, () -> new BoundarySearch(20, 10, 2, 0.1));
        assertThrows(IllegalArgumentException.class, () -> new BoundarySearch(1, 10, 1, 0.1));
    }

    /** Whether this is the first time that a certain count is tried. */
    private boolean isFirst(final int count, final int certain) {
        return count == certain
                && tried.stream().filter(each -> each == certain).count() == 1;
    }

    private BoundarySearch search(final BoundarySearch search, final IntPredicate flawless) {
        while (search.next().isPresent()) {
            final int count = search.next().getAsInt();
            tried.add(count);
            search.tried(flawless.test(count));
        }
        return search;
    }
}
