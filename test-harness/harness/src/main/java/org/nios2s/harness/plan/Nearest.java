// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.plan;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds what a user probably meant by a word that was mistyped. Stateless, any thread. */
public final class Nearest {

    /** Letters that are wrong, missing or too many; of short words fewer, since another word is soon as near. */
    private static final int MAX_MISTAKES = 2;

    private Nearest() {}

    /** A question to put behind a message that refuses a word; empty when no known word is near. */
    public static String words(final String typed, final Collection<String> known) {
        return of(typed, known).map(word -> " (did you mean '" + word + "'?)").orElse("");
    }

    private static Optional<String> of(final String typed, final Collection<String> known) {
        final int most = Math.min(MAX_MISTAKES, typed.length() / 2);
        return known.stream()
                .filter(word -> mistakes(typed, word) <= most)
                .min(Comparator.comparingInt(word -> mistakes(typed, word)));
    }

    /** Letters to change, add or take away (Levenshtein's distance). */
    private static int mistakes(final String typed, final String word) {
        int[] row = new int[word.length() + 1];
        for (int column = 0; column <= word.length(); column++) {
            row[column] = column;
        }
        for (int letter = 1; letter <= typed.length(); letter++) {
            final int[] next = new int[word.length() + 1];
            next[0] = letter;
            for (int column = 1; column <= word.length(); column++) {
                final int same = typed.charAt(letter - 1) == word.charAt(column - 1) ? 0 : 1;
                next[column] = Math.min(Math.min(next[column - 1], row[column]) + 1, row[column - 1] + same);
            }
            row = next;
        }
        return row[word.length()];
    }
}
