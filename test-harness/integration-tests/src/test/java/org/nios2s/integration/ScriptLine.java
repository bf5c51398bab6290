// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line of a conversation: a verb and its arguments.
 * Immutable, for any thread.
 *
 * @param number where it stands in its file
 * @param verb what is to be done
 * @param arguments the words behind it, without their quotes
 */
record ScriptLine(int number, String verb, List<String> arguments) {

    private static final Pattern WORD = Pattern.compile("(?:[^\\s\"]|\"(?:\\\\.|[^\"\\\\])*\")+");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|(.))");
    private static final int HEX = 16;

    /** Reads a line: words are separated by blanks, quotes keep blanks together. */
    static ScriptLine parse(final int number, final String line) {
        final List<String> words = new ArrayList<>();
        final Matcher word = WORD.matcher(line);
        while (word.find()) {
            words.add(unquote(word.group()));
        }
        return new ScriptLine(number, words.getFirst(), List.copyOf(words.subList(1, words.size())));
    }

    private static String unquote(final String word) {
        final StringBuilder plain = new StringBuilder();
        final Matcher escape = ESCAPE.matcher(word.replaceAll("(?<!\\\\)\"", ""));
        while (escape.find()) {
            final String character = escape.group(1) == null
                    ? escape.group(2).replace('n', '\n')
                    : String.valueOf((char) Integer.parseInt(escape.group(1), HEX));
            escape.appendReplacement(plain, Matcher.quoteReplacement(character));
        }
        return escape.appendTail(plain).toString();
    }

    /** A text as it has to be written so that it is read as one word. */
    static String quote(final String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    /** The argument at an index, or what stands for it when there are not so many. */
    String argument(final int index, final String absent) {
        return index < arguments.size() ? arguments.get(index) : absent;
    }

    @Override
    public String toString() {
        return "line " + number + ": " + verb + " " + String.join(" ", arguments);
    }
}
