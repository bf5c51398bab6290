// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.util.OptionalInt;

/**
 * Looks for the largest count of clients without a failure: grows it until there is one, then halves the gap between the
 * largest count without and the smallest with one. For one thread.
 *
 * <p>It takes the answer to be monotonous: what failed with some count is not tried with more.
 */
public final class BoundarySearch {

    private final int max;
    private final double growth;
    private final double resolution;
    private int next;
    private int passed;
    private int failed;

    public BoundarySearch(final int first, final int max, final double growth, final double resolution) {
        if (first < 1 || max < first || growth <= 1 || resolution <= 0) {
            throw new IllegalArgumentException(
                    "a search from %d to %d clients, growing by %s to within %s, makes no sense"
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
        if (flawless) {
            passed = next;
        } else {
            failed = next;
        }
        next = choose();
    }

    /** The answer so far: the largest count without a failure, 0 when every one that was tried had some. */
    public int largestWithoutFailure() {
        return passed;
    }

    /** What bounds the answer from above: the smallest count with a failure, 0 when none had one. */
    public int smallestWithFailure() {
        return failed;
    }

    private int choose() {
        if (failed == 0) {
            return passed == max ? 0 : (int) Math.min(max, Math.max(passed + 1, Math.round(passed * growth)));
        }
        final int gap = failed - passed;
        if (gap <= Math.max(1, Math.round(passed * resolution))) {
            return 0;
        }
        // With nothing that passed yet the gap is all there is: it is halved down to a single client.
        return passed + gap / 2;
    }
}
