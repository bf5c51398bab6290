// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.judge;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nios2s.harness.result.Spread;

/**
 * What an experiment may show: words about a figure, which are said only if its runs show it. Immutable, any thread.
 *
 * @param figure by which it holds or does not
 * @param words  with {@code {this}}, {@code {baseline}} and {@code {ratio}} in them
 */
record Claim(Figure figure, String words) {

    private static final Pattern CLAIM = Pattern.compile("([\\w.-]+):\\s*(.+)");

    /** Reads a claim; the message of an exception is fit for a user. */
    static Claim parse(final String text) {
        final Matcher claim = CLAIM.matcher(text);
        if (!claim.matches()) {
            throw new IllegalArgumentException(
                    "'%s' is no claim: write a figure and words, as 'p99: answers come in {this} ms in place of {baseline}'"
                            .formatted(text));
        }
        return new Claim(Figure.by(claim.group(1)), claim.group(2));
    }

    /** The words, where a combination is better than its baseline in this figure beyond chance; otherwise nothing. */
    Optional<String> held(final Pairs pairs, final String row, final String column) {
        final Optional<Spread> own = pairs.spread(figure, row, column);
        final Optional<Spread> others = pairs.comparison(row, column)
                .flatMap(compared -> pairs.spread(figure, compared.againstRow(), compared.againstColumn()));
        final Optional<Ratio> ratio = pairs.ratio(figure, row, column);
        final boolean none = others.filter(spread -> spread.most() == 0).isPresent()
                && own.filter(spread -> spread.least() > 0 && spread.count() >= Ratio.LEAST_PAIRS)
                        .isPresent()
                && figure.sense() == Figure.Sense.MORE;
        if (!none && ratio.filter(Ratio::isBetter).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(words.replace(
                        "{this}", figure.format(own.orElseThrow().median()))
                .replace("{baseline}", figure.format(others.orElseThrow().median()))
                .replace(
                        "{ratio}",
                        ratio.map(some -> Figure.words("%.2f", some.ratios().median()))
                                .orElse("")));
    }
}
