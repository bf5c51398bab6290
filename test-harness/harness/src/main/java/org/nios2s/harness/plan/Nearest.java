// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import java.util.Collection;
import java.util.Optional;
import java.util.stream.IntStream;

/** Finds what a user probably meant by a word that was mistyped. Stateless; any thread. */
public final class Nearest {

    /** Letters that are wrong, missing or too many; of short words fewer, since another word is soon as near. */
    private static final int MAX_MISTAKES = 2;

    private static final int LETTERS_PER_MISTAKE = 4;

    private Nearest() {}

    /** A question to put behind a message that refuses a word; empty when no known word is near. */
    public static String words(final String typed, final Collection<String> known) {
        return of(typed, known).map(word -> " (did you mean '" + word + "'?)").orElse("");
    }

    /** The nearest of some words; empty when none is near. */
    public static Optional<String> of(final String typed, final Collection<String> known) {
        final int letters = typed.replace("-", "").length();
        final int most = Math.min(MAX_MISTAKES, (letters + 1) / LETTERS_PER_MISTAKE);
        return IntStream.rangeClosed(1, most)
                .boxed()
                .flatMap(mistakes -> known.stream().filter(word -> isNear(typed, word, mistakes)))
                .findFirst();
    }

    /** Whether so many letters, changed, added or taken away, make one word of the other. */
    private static boolean isNear(final String one, final String other, final int mistakes) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.length() + other.length() <= mistakes;
        }
        final String restOfOne = one.substring(1);
        final String restOfOther = other.substring(1);
        if (one.charAt(0) == other.charAt(0) && isNear(restOfOne, restOfOther, mistakes)) {
            return true;
        }
        return mistakes > 0
                && (isNear(restOfOne, restOfOther, mistakes - 1)
                        || isNear(restOfOne, other, mistakes - 1)
                        || isNear(one, restOfOther, mistakes - 1));
    }
}
