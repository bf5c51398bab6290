// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.judge;

import org.nios2s.harness.result.Spread;

/**
 * By how much two targets differ in a figure: one ratio per round, then their median and spread. Immutable, any
 * thread.
 *
 * @param figure what differs
 * @param second whose figure is divided
 * @param first  by whose
 * @param ratios one per pair
 * @param own    the figures that are divided
 * @param others the figures by which they are divided
 */
public record Ratio(Figure figure, String second, String first, Spread ratios, Spread own, Spread others) {

    /**
     * Pairs that a sign test needs: with no difference at all six of them show the same direction once in 32 times. Fewer
     * would do so too often.
     */
    static final int LEAST_PAIRS = 6;

    private static final double PERCENT = 100;

    /** Medians of the same work further apart than this are not the same. */
    private static final int REPEATED_PERCENT = 10;

    public static final String REPEATED = "within " + REPEATED_PERCENT + " %";

    /** The median ratio, with the least and the most where there are several. */
    public String text() {
        return ratios.count() < 2
                ? Figure.words("%.2f ×", ratios.median())
                : Figure.words("%.2f × (%.2f – %.2f)", ratios.median(), ratios.least(), ratios.most());
    }

    /** Whether there are pairs enough, every one shows a difference the same way round, and both ranges lie apart. */
    public boolean isDifference() {
        return ratios.count() >= LEAST_PAIRS && isClear() && !overlap();
    }

    /** Whether it is a difference, and one for the better. */
    public boolean isBetter() {
        final boolean more = ratios.median() > 1;
        return isDifference() && figure.sense() == (more ? Figure.Sense.MORE : Figure.Sense.LESS);
    }

    private boolean isClear() {
        final boolean sameWay = ratios.least() > 1 || ratios.most() < 1;
        return sameWay && Math.round(PERCENT * Math.abs(ratios.median() - 1)) != 0;
    }

    private boolean overlap() {
        return own.least() <= others.most() && others.least() <= own.most();
    }

    /** What it means, in a few words that are all computed. */
    public String meaning() {
        if (ratios.least() == 1 && ratios.most() == 1) {
            return "the same";
        }
        if (ratios.count() < LEAST_PAIRS) {
            return Figure.words("%d pair%s: not enough to tell", ratios.count(), ratios.count() == 1 ? "" : "s");
        }
        if (!isClear()) {
            return "no difference shown";
        }
        if (overlap()) {
            return "no difference shown: their ranges overlap";
        }
        final boolean more = ratios.median() > 1;
        final String amount = more && ratios.median() >= 2
                ? Figure.words("%.1f times as much", ratios.median())
                : Figure.words("%.0f %% %s", PERCENT * Math.abs(ratios.median() - 1), more ? "more" : "less");
        if (figure.sense() == Figure.Sense.NEITHER) {
            return amount;
        }
        return amount + (isBetter() ? ", better" : ", worse");
    }

    /** Whether the same work, measured again, has this ratio again; if not, whether the spread of pairs explains it. */
    public String repetition(final Ratio again) {
        final double percent = PERCENT * (again.ratios.median() - ratios.median()) / ratios.median();
        final boolean overlap = ratios.least() <= again.ratios.most() && again.ratios.least() <= ratios.most();
        return again.ratios.median() == ratios.median() || Math.abs(percent) <= REPEATED_PERCENT
                ? REPEATED
                : Figure.words(
                        "%+.0f %%, %s the spread of %d and %d pairs",
                        percent, overlap ? "within" : "beyond", ratios.count(), again.ratios.count());
    }
}
