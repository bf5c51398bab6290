// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import org.nios2s.harness.result.Range;

/**
 * By how much two targets differ in a metric: one ratio per round, then their median and range. Immutable, any
 * thread.
 *
 * @param metric what differs
 * @param second whose metric is divided
 * @param first  by whose
 * @param ratios one per pair
 * @param own    the values that are divided
 * @param others the values by which they are divided
 */
public record Ratio(Metric metric, String second, String first, Range ratios, Range own, Range others) {

    /**
     * Pairs that a sign test needs: with no difference at all six of them show the same direction once in 32 times. Fewer
     * would do so too often.
     */
    static final int MIN_PAIRS = 6;

    private static final double PERCENT = 100;

    /** Medians of the same work further apart than this are not the same. */
    private static final int REPEATED_PERCENT = 10;

    public static final String REPEATED = "within " + REPEATED_PERCENT + " %";

    /** A ratio by itself; one to nothing is infinite. */
    public static String words(final double ratio) {
        return Double.isInfinite(ratio) ? "infinite, the other has 0" : Metric.words("%.2f ×", ratio);
    }

    /** The median ratio, with the least and the most where there are several. */
    public String text() {
        return ratios.count() < 2
                ? Metric.words("%.2f ×", ratios.median())
                : Metric.words("%.2f × (%.2f – %.2f)", ratios.median(), ratios.min(), ratios.max());
    }

    /** Whether there are pairs enough, every one shows a difference the same way round, and both ranges lie apart. */
    public boolean isDifference() {
        return ratios.count() >= MIN_PAIRS && isClear() && !overlap();
    }

    /** Whether it is a difference, and one for the better. */
    public boolean isBetter() {
        final boolean more = ratios.median() > 1;
        return isDifference() && metric.sense() == (more ? Metric.Sense.MORE : Metric.Sense.LESS);
    }

    private boolean isClear() {
        final boolean sameWay = ratios.min() > 1 || ratios.max() < 1;
        return sameWay && Math.round(PERCENT * Math.abs(ratios.median() - 1)) != 0;
    }

    private boolean overlap() {
        return own.min() <= others.max() && others.min() <= own.max();
    }

    /** Its meaning, in a few words that are all computed. */
    public String meaning() {
        if (ratios.min() == 1 && ratios.max() == 1) {
            return "the same";
        }
        if (ratios.count() < MIN_PAIRS) {
            return Metric.words("%d pair%s: not enough to tell", ratios.count(), ratios.count() == 1 ? "" : "s");
        }
        if (!isClear()) {
            return "no difference shown";
        }
        if (overlap()) {
            return "no difference shown: their ranges overlap";
        }
        final boolean more = ratios.median() > 1;
        final String amount = more && ratios.median() >= 2
                ? Metric.words("%.1f times as much", ratios.median())
                : Metric.words("%.0f %% %s", PERCENT * Math.abs(ratios.median() - 1), more ? "more" : "less");
        if (metric.sense() == Metric.Sense.NEITHER) {
            return amount;
        }
        return amount + (isBetter() ? ", better" : ", worse");
    }

    /** Whether the same work, measured again, has this ratio again; if not, whether the range of pairs explains it. */
    public String repetition(final Ratio again) {
        final double percent = PERCENT * (again.ratios.median() - ratios.median()) / ratios.median();
        final boolean overlap = ratios.min() <= again.ratios.max() && again.ratios.min() <= ratios.max();
        return again.ratios.median() == ratios.median() || Math.abs(percent) <= REPEATED_PERCENT
                ? REPEATED
                : Metric.words(
                        "%+.0f %%, %s the range of %d and %d pairs",
                        percent, overlap ? "within" : "beyond", ratios.count(), again.ratios.count());
    }
}
