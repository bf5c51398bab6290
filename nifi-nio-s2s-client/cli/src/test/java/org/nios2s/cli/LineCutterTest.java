// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lines, however the bytes arrive. Lives on the test's thread. */
class LineCutterTest {
    private static final int ROUNDS = 5_000;
    private static final int LONG = 200_000;

    /** @return a source that gives so many bytes at a time, at most */
    private static LineCutter.Source source(final byte[] bytes, final Random random, final int atATime) {
        final int[] next = {0};
        return buffer -> {
            final int left = bytes.length - next[0];
            if (left == 0) {
                return -1;
            }
            final int given = Math.min(buffer.length, Math.min(left, 1 + random.nextInt(atATime)));
            System.arraycopy(bytes, next[0], buffer, 0, given);
            next[0] += given;
            return given;
        };
    }

    @Test
    void whatIsCutCanBePutTogetherAgain() throws Exception {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            final byte[] bytes = new byte[random.nextInt(50)];
            random.nextBytes(bytes);
            for (int i = random.nextInt(5); i > 0 && bytes.length > 0; i--) {
                bytes[random.nextInt(bytes.length)] = '\n';
            }
            final LineCutter cutter = new LineCutter(source(bytes, random, 1 + random.nextInt(60)), bytes.length);
            final ByteArrayOutputStream again = new ByteArrayOutputStream();
            for (byte[] line = cutter.next(); line != null; line = cutter.next()) {
                assertEquals(-1, Arrays.toString(line).indexOf(" 10,"));
                again.write(line);
                again.write('\n');
            }
            again.write(cutter.rest());
            assertArrayEquals(bytes, again.toByteArray(), "seed " + seed);
        }
    }

    @Test
    void aLineMayBeLongerThanTheBufferButNotThanItsLimit() throws Exception {
        final byte[] bytes = new byte[LONG + 3];
        bytes[1] = '\n';
        bytes[LONG + 2] = '\n';
        final LineCutter cutter = new LineCutter(source(bytes, new Random(), LONG), LONG);
        assertEquals(1, cutter.next().length);
        assertEquals(LONG, cutter.next().length);
        assertNull(cutter.next());
        assertEquals(0, cutter.rest().length);
        final LineCutter strict = new LineCutter(source(bytes, new Random(), LONG), LONG - 1);
        assertEquals(1, strict.next().length);
        final IOException failure = assertThrows(IOException.class, strict::next);
        assertEquals(
                "Line 2 is longer than 199999 bytes, the most that --batch-bytes leaves for a line; this line and those after it were not sent",
                failure.getMessage());
    }
}
