// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Looks for the largest count of clients without a failure: grows it until there is one, halves the gap between the largest
 * count without and the smallest with one, then tries both again. For one thread.
 *
 * <p>One run may fail, or not, by chance. So the best of three runs decides on each end of the gap, and the search goes on where
 * that is another end. In between it takes the answer to be monotonous: more than what failed is not tried.
 */
public final class BoundarySearch {

    /** Of three runs two that agree decide. */
    private static final int DECIDED_BY = 2;

    private final int max;
    private final double growth;
    private final double resolution;
    private final NavigableMap<Integer, Votes> tried = new TreeMap<>();
    private int next;

    /** The result of the runs with one count. */
    private static final class Votes {

        private int flawless;
        private int failed;

        private boolean isFlawless() {
            return flawless > failed;
        }

        private boolean isDecided() {
            return Math.max(flawless, failed) >= DECIDED_BY;
        }
    }

    public BoundarySearch(final int first, final int max, final double growth, final double resolution) {
        if (first < 1 || max < first || growth <= 1 || resolution <= 0) {
            throw new IllegalArgumentException(
                    "a search from %d to %d clients, growing by %s to within %s, is not possible"
                            .formatted(first, max, growth, resolution));
        }
        this.max = max;
        this.growth = growth;
        this.resolution = resolution;
        this.next = first;
    }

    /** The count to try: empty when the search is over. */
    public OptionalInt next() {
        return next == 0 ? OptionalInt.empty() : OptionalInt.of(next);
    }

    /** How the count of {@link #next} went. */
    public void tried(final boolean flawless) {
        final Votes votes = tried.computeIfAbsent(next, count -> new Votes());
        if (flawless) {
            votes.flawless++;
        } else {
            votes.failed++;
        }
        next = choose();
    }

    /** The answer so far: the largest count without a failure, 0 when every one that was tried had some. */
    public int largestWithoutFailure() {
        final int failed = smallestWithFailure();
        final Map.Entry<Integer, Votes> passed = failed == 0 ? tried.lastEntry() : tried.lowerEntry(failed);
        return passed == null ? 0 : passed.getKey();
    }

    /** The upper bound of the answer: the smallest count with a failure, 0 when none had one. */
    public int smallestWithFailure() {
        return tried.entrySet().stream()
                .filter(count -> !count.getValue().isFlawless())
                .mapToInt(Map.Entry::getKey)
                .findFirst()
                .orElse(0);
    }

    private int choose() {
        final int contradicted = tried.entrySet().stream()
                .filter(count -> count.getValue().flawless == count.getValue().failed)
                .mapToInt(Map.Entry::getKey)
                .findFirst()
                .orElse(0);
        if (contradicted != 0) {
            return contradicted;
        }
        final int passed = largestWithoutFailure();
        final int failed = smallestWithFailure();
        if (failed == 0 && passed < max) {
            return (int) Math.min(max, Math.max(passed + 1, Math.round(passed * growth)));
        }
        if (failed != 0 && failed - passed > Math.max(1, Math.round(passed * resolution))) {
            // With nothing that passed yet the gap is all there is: it is halved down to a single client.
            return passed + (failed - passed) / 2;
        }
        return undecided(passed, failed);
    }

    private int undecided(final int passed, final int failed) {
        if (passed != 0 && !tried.get(passed).isDecided()) {
            return passed;
        }
        return failed != 0 && !tried.get(failed).isDecided() ? failed : 0;
    }
}
