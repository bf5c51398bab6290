// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nios2s.harness.result.Range;

/**
 * What an experiment may show: words about a metric, which are said only if its runs show it. Immutable, any thread.
 *
 * @param metric by which it holds or does not
 * @param words  with {@code {this}}, {@code {baseline}} and {@code {ratio}} in them
 */
record Claim(Metric metric, String words) {

    private static final Pattern CLAIM = Pattern.compile("([\\w.-]+):\\s*(.+)");

    /** Reads a claim; the message of an exception is fit for a user. */
    static Claim parse(final String text) {
        final Matcher claim = CLAIM.matcher(text);
        if (!claim.matches()) {
            throw new IllegalArgumentException(
                    "'%s' is no claim: write a metric and words, as 'p99: answers come in {this} ms in place of {baseline}'"
                            .formatted(text));
        }
        return new Claim(Metric.by(claim.group(1)), claim.group(2));
    }

    /**
     * The words, where a combination is better than its baseline in this metric beyond chance, and no more of its transactions
     * failed; otherwise nothing.
     */
    Optional<String> held(final PairedComparison pairs, final String row, final String column) {
        final Optional<Range> own = pairs.range(metric, row, column);
        final Optional<Range> others = pairs.rangeOfBaseline(metric, row, column);
        final Optional<Ratio> ratio = pairs.ratio(metric, row, column);
        if (most(pairs.range(Metric.FAILURES, row, column))
                > most(pairs.rangeOfBaseline(Metric.FAILURES, row, column))) {
            return Optional.empty();
        }
        final boolean none = others.filter(range -> range.max() == 0).isPresent()
                && own.filter(range -> range.min() > 0 && range.count() >= Ratio.MIN_PAIRS)
                        .isPresent()
                && metric.sense() == Metric.Sense.MORE;
        if (!none && ratio.filter(Ratio::isBetter).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(words.replace(
                        "{this}", metric.format(own.orElseThrow().median()))
                .replace("{baseline}", metric.format(others.orElseThrow().median()))
                .replace(
                        "{ratio}",
                        ratio.map(some -> Metric.words("%.2f", some.ratios().median()))
                                .orElse("")));
    }

    private static double most(final Optional<Range> counts) {
        return counts.map(Range::max).orElse(0.0);
    }
}
