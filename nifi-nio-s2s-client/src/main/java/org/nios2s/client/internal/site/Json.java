// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.site;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reads the few fields of JSON that the REST API's answer has for us, without a library. Belongs to one thread; lives for
 * one text.
 *
 * <p>An object becomes a {@link Map}, an array a {@link List}, a number a {@link Double}, the rest {@link String},
 * {@link Boolean} or null.
 */
final class Json {
    private static final int MOST_DEPTH = 100;
    private static final int UNICODE_DIGITS = 4;
    private static final int HEXADECIMAL = 16;

    private final String text;
    private int at;
    private int depth;

    private Json(final String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException if it is no JSON */
    static Object read(final String text) {
        final Json json = new Json(text);
        final Object value = json.value();
        json.skipBlanks();
        if (json.at < text.length()) {
            throw json.unexpected();
        }
        return value;
    }

    private Object value() {
        skipBlanks();
        return switch (peek()) {
            case '{' -> nested(this::object);
            case '[' -> nested(this::array);
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Object nested(final Supplier<Object> reader) {
        if (++depth > MOST_DEPTH) {
            throw unexpected();
        }
        at++;
        final Object value = reader.get();
        depth--;
        return value;
    }

    private Object object() {
        final Map<String, Object> fields = new LinkedHashMap<>();
        while (!ends('}', fields.isEmpty())) {
            skipBlanks();
            final String name = string();
            skipBlanks();
            expect(':');
            fields.put(name, value());
        }
        return fields;
    }

    private Object array() {
        final List<Object> values = new ArrayList<>();
        while (!ends(']', values.isEmpty())) {
            values.add(value());
        }
        return values;
    }

    /** Steps over a comma, or over the end. */
    private boolean ends(final char end, final boolean empty) {
        skipBlanks();
        if (peek() == end) {
            at++;
            return true;
        }
        if (!empty) {
            expect(',');
        }
        return false;
    }

    private String string() {
        expect('"');
        final StringBuilder read = new StringBuilder();
        while (peek() != '"') {
            final char next = text.charAt(at++);
            read.append(next == '\\' ? escaped() : next);
        }
        at++;
        return read.toString();
    }

    private char escaped() {
        final char kind = peek();
        at++;
        return switch (kind) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            case '"', '\\', '/' -> kind;
            default -> throw unexpected();
        };
    }

    private char unicode() {
        if (at + UNICODE_DIGITS > text.length()) {
            throw unexpected();
        }
        final String digits = text.substring(at, at + UNICODE_DIGITS);
        at += UNICODE_DIGITS;
        return (char) Integer.parseInt(digits, HEXADECIMAL);
    }

    private Object word(final String word, final Object meaning) {
        if (!text.startsWith(word, at)) {
            throw unexpected();
        }
        at += word.length();
        return meaning;
    }

    private Double number() {
        final int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        if (start == at) {
            throw unexpected();
        }
        return Double.valueOf(text.substring(start, at));
    }

    private void skipBlanks() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private void expect(final char wanted) {
        if (peek() != wanted) {
            throw unexpected();
        }
        at++;
    }

    private char peek() {
        if (at >= text.length()) {
            throw new IllegalArgumentException("The JSON ends in the middle");
        }
        return text.charAt(at);
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException("This is no JSON at character " + at);
    }
}
