// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.judge;

import org.nios2s.harness.result.Spread;

/**
 * By how much two targets differ in a figure: one ratio per round, then their median and spread. Immutable, any
 * thread.
 *
 * @param figure  what differs
 * @param second  whose figure is divided
 * @param first   by whose
 * @param ratios  one per pair
 */
public record Ratio(Figure figure, String second, String first, Spread ratios) {

    private static final double PERCENT = 100;
    private static final int LEAST_PAIRS = 2;

    /** Medians of the same work further apart than this are not the same. */
    private static final int REPEATED_PERCENT = 10;

    public static final String REPEATED = "within " + REPEATED_PERCENT + " %";

    public String text() {
        return ratios.count() < LEAST_PAIRS
                ? Figure.words("%.2f ×", ratios.median())
                : Figure.words("%.2f × (%.2f – %.2f)", ratios.median(), ratios.least(), ratios.most());
    }

    /** @return whether every pair shows a difference, and the same way round */
    public boolean isDifference() {
        final boolean clear = ratios.least() > 1 || ratios.most() < 1;
        return ratios.count() >= LEAST_PAIRS && clear && Math.round(PERCENT * Math.abs(ratios.median() - 1)) != 0;
    }

    /** What it means, in a few words that are all computed. */
    public String meaning() {
        if (ratios.count() < LEAST_PAIRS) {
            return "one pair: its spread is not known";
        }
        if (!isDifference()) {
            return "no difference shown";
        }
        final boolean more = ratios.median() > 1;
        final String amount = more && ratios.median() >= 2
                ? Figure.words("%.1f times as much", ratios.median())
                : Figure.words("%.0f %% %s", PERCENT * Math.abs(ratios.median() - 1), more ? "more" : "less");
        return switch (figure.sense()) {
            case NEITHER -> amount;
            case MORE -> amount + (more ? ", better" : ", worse");
            case LESS -> amount + (more ? ", worse" : ", better");
        };
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
