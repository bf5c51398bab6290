// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is joined can be told apart again, byte by byte; what could not is refused. Lives on the test's thread. */
class RecordFramingTest {
    private static final int ROUNDS = 20_000;

    private static byte[] bytes(final String text) {
        return text.getBytes(UTF_8);
    }

    private static byte[] content(final Packet packet) {
        final byte[] content = new byte[Math.toIntExact(packet.size())];
        packet.bytes().get(content);
        return content;
    }

    private static String joined(final RecordFraming framing, final String... records) {
        return new String(
                content(framing.join(
                        Map.of(),
                        Arrays.stream(records).map(RecordFramingTest::bytes).toList())),
                UTF_8);
    }

    private static void assertRefused(final String because, final RecordFraming framing, final String record) {
        final IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> framing.requireFit(bytes(record)));
        assertEquals("The record " + because, refusal.getMessage());
        assertThrows(IllegalArgumentException.class, () -> joined(framing, "x", record));
    }

    @Test
    void eachLineEnds() {
        assertEquals("a\n\nb\r\nü\n", joined(RecordFraming.lines(), "a", "", "b\r", "ü"));
        assertEquals("", joined(RecordFraming.lines()));
        assertRefused("contains the separator at byte 3", RecordFraming.lines(), "one\n");
    }

    @Test
    void aCarriageReturnEndsALineToo() {
        assertRefused("contains a carriage return at byte 1", RecordFraming.lines(), "a\rb");
        assertRefused("contains a carriage return at byte 0", RecordFraming.lines(), "\r\r");
        assertRefused("contains a carriage return at byte 1", RecordFraming.ndjson(), "{\r}");
        assertEquals("\r\n", joined(RecordFraming.lines(), "\r"));
    }

    @Test
    void moreThanAnArrayHoldsIsRefused() {
        final IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> RecordFraming.lengthPrefixed()
                        .join(Map.of(), Collections.nCopies(2_100, new byte[1 << 20])));
        assertEquals("The records take 2202018000 bytes; accepted: at most 2147483639", refusal.getMessage());
    }

    @Test
    void jsonIsALineAndNotBlank() {
        assertEquals("{\"a\":1}\n[]\r\n", joined(RecordFraming.ndjson(), "{\"a\":1}", "[]\r"));
        assertRefused("contains the separator at byte 1", RecordFraming.ndjson(), "{\n\"a\":1}");
        assertRefused("is blank, and so no JSON", RecordFraming.ndjson(), "");
        assertRefused("is blank, and so no JSON", RecordFraming.ndjson(), " \t\r");
    }

    @Test
    void aSeparatorMayHaveManyBytes() {
        final RecordFraming framing = RecordFraming.separatedBy(bytes("aa"));
        assertEquals("xaaaa", joined(framing, "x", ""));
        assertRefused("contains the separator at byte 1", framing, "xaax");
        // Its separator would be found a byte too early.
        assertRefused("contains the separator at byte 1", framing, "xa");
        assertThrows(IllegalArgumentException.class, () -> RecordFraming.separatedBy(new byte[0]));
    }

    @Test
    void aSeparatorIsCopied() {
        final byte[] separator = bytes("|");
        final RecordFraming framing = RecordFraming.separatedBy(separator);
        separator[0] = 'x';
        assertEquals("x|", joined(framing, "x"));
    }

    @Test
    void aLengthPrefixTakesAnything() {
        assertArrayEquals(
                new byte[] {0, 0, 0, 1, '\n', 0, 0, 0, 0},
                content(RecordFraming.lengthPrefixed().join(Map.of(), List.of(bytes("\n"), new byte[0]))));
    }

    @Test
    void theAttributesSayWhatItIs() {
        final Packet packet = RecordFraming.ndjson().join(Map.of("a", "b"), List.of(bytes("1"), bytes("2")));
        assertEquals(Map.of("a", "b", "record.count", "2", "mime.type", "application/x-ndjson"), packet.attributes());
        assertEquals(
                "text/csv",
                RecordFraming.lines()
                        .join(Map.of("mime.type", "text/csv"), List.of())
                        .attributes()
                        .get("mime.type"));
        assertThrows(IllegalArgumentException.class, () -> RecordFraming.lines()
                .join(Map.of("record.count", "7"), List.of()));
    }

    @Test
    void whatIsJoinedCanBeToldApart() {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            final byte[] separator = few(random, 1 + random.nextInt(3));
            final boolean prefixed = random.nextInt(4) == 0;
            final RecordFraming framing =
                    prefixed ? RecordFraming.lengthPrefixed() : RecordFraming.separatedBy(separator);
            final List<byte[]> records = new ArrayList<>();
            for (int i = random.nextInt(6); i > 0; i--) {
                final byte[] record = few(random, random.nextInt(8));
                if (fits(framing, record)) {
                    records.add(record);
                }
            }
            final ByteBuffer content = framing.join(Map.of(), records).bytes();
            final List<byte[]> parsed = prefixed ? parsePrefixed(content) : parseSeparated(content, separator);
            assertEquals(
                    text(records), text(parsed), () -> "seed " + seed + ", separator " + Arrays.toString(separator));
        }
    }

    /** Of two kinds of bytes, so that separators meet themselves. */
    private static byte[] few(final Random random, final int length) {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) random.nextInt(2);
        }
        return bytes;
    }

    private static boolean fits(final RecordFraming framing, final byte[] record) {
        try {
            framing.requireFit(record);
            return true;
        } catch (final IllegalArgumentException e) {
            return false;
        }
    }

    private static List<byte[]> parsePrefixed(final ByteBuffer content) {
        final List<byte[]> records = new ArrayList<>();
        while (content.hasRemaining()) {
            final byte[] record = new byte[content.getInt()];
            content.get(record);
            records.add(record);
        }
        return records;
    }

    private static List<byte[]> parseSeparated(final ByteBuffer content, final byte[] separator) {
        final List<byte[]> records = new ArrayList<>();
        int begin = 0;
        int at = 0;
        while (at + separator.length <= content.limit()) {
            if (content.slice(at, separator.length).equals(ByteBuffer.wrap(separator))) {
                final byte[] record = new byte[at - begin];
                content.get(begin, record);
                records.add(record);
                at += separator.length;
                begin = at;
            } else {
                at++;
            }
        }
        assertEquals(content.limit(), begin);
        return records;
    }

    private static List<String> text(final List<byte[]> records) {
        return records.stream().map(Arrays::toString).toList();
    }
}
