// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lives on the test's thread. */
@DisplayName("Text from the wire, in a log or a message,")
class LogTextTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'two\nlines'|'two\\u000alines'",
                "'\u001b[2J'|'\\u001b[2J'",
                "'\u0085\u2028\u2029'|'\\u0085\\u2028\\u2029'",
                "'\u202e'|'\\u202e'",
                "'\ud800'|'\\ud800'",
                "'ü – 木'|'ü – 木'",
            })
    @DisplayName("stays on its line and has no control characters")
    void oneLine(final String text, final String printed) {
        assertEquals(printed, LogText.of(text));
    }

    @Test
    @DisplayName("has a limited length")
    void length() {
        assertEquals("x".repeat(500), LogText.of("x".repeat(500)));
        assertEquals("x".repeat(500) + "… (501 characters)", LogText.of("x".repeat(501)));
    }

    @Test
    @DisplayName("is the same whether it is a response's or not")
    void response() {
        assertEquals("ABORT: no\\u000a", new ResponseMessage(ResponseCode.ABORT, "no\n").toString());
    }
}
