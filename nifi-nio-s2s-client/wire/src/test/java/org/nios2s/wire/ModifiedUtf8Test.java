// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Strings on the wire against {@link DataOutputStream#writeUTF}. */
class ModifiedUtf8Test {
    private static final List<String> STRINGS = List.of(
            "",
            "NiFi",
            "SocketFlowFileProtocol",
            "Straße – Ünïcødé",
            "a\u0000b",
            "\uD83D\uDE00 beyond the basic plane",
            "\uD83D alone",
            "\uDE00",
            "x".repeat(65_535),
            "\u20AC".repeat(21_845));

    private static final List<byte[]> MALFORMED = List.of(
            new byte[] {0, 1, (byte) 0x80},
            new byte[] {0, 1, (byte) 0xC3},
            new byte[] {0, 2, (byte) 0xC3, 'x'},
            new byte[] {0, 2, (byte) 0xE2, (byte) 0x82},
            new byte[] {0, 3, (byte) 0xE2, (byte) 0x82, 'x'},
            new byte[] {0, 4, (byte) 0xF0, (byte) 0x9F, (byte) 0x98, (byte) 0x80},
            new byte[] {0, 1, (byte) 0xFF});

    private static byte[] written(final String... values) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        for (final String value : values) {
            out.writeUTF(value);
        }
        return bytes.toByteArray();
    }

    private static void readAll(final ByteBuf in, final List<String> strings) throws ProtocolException {
        String value = ModifiedUtf8.readIfComplete(in);
        while (value != null) {
            strings.add(value);
            value = ModifiedUtf8.readIfComplete(in);
        }
    }

    @Test
    void writesWhatDataOutputWrites() throws IOException {
        for (final String value : STRINGS) {
            final ByteBuf out = Unpooled.buffer();
            ModifiedUtf8.write(out, value);
            assertArrayEquals(written(value), ByteBufUtil.getBytes(out));
            out.release();
        }
    }

    @ParameterizedTest
    @MethodSource("org.nios2s.wire.Arrival#all")
    void readsWhatDataOutputWritesHoweverItArrives(final Arrival arrival) throws IOException {
        final List<String> few = STRINGS.subList(0, 8);
        final List<String> strings = new ArrayList<>();
        final byte[] left = arrival.feed(written(few.toArray(String[]::new)), in -> readAll(in, strings));
        assertEquals(few, strings);
        assertEquals(0, left.length);
    }

    @ParameterizedTest
    @EnumSource(BufferKind.class)
    void readsTheLongestString(final BufferKind kind) throws IOException {
        for (final String value : STRINGS) {
            final ByteBuf in = kind.wrap(written(value));
            assertEquals(value, ModifiedUtf8.readIfComplete(in));
            assertEquals(0, in.readableBytes());
            in.release();
        }
    }

    @Test
    void consumesNothingWhileBytesAreMissing() throws IOException {
        final byte[] all = written("identifier");
        for (int length = 0; length < all.length; length++) {
            final ByteBuf in = Unpooled.wrappedBuffer(all, 0, length);
            assertNull(ModifiedUtf8.readIfComplete(in));
            assertEquals(length, in.readableBytes());
        }
    }

    @Test
    void leavesWhatFollowsTheString() throws IOException {
        final ByteBuf in = Unpooled.wrappedBuffer(written("\u00FC"), new byte[] {7});
        assertEquals("\u00FC", ModifiedUtf8.readIfComplete(in));
        assertEquals(7, in.readByte());
    }

    @ParameterizedTest
    @EnumSource(BufferKind.class)
    void refusesMalformedBytes(final BufferKind kind) {
        for (final byte[] bytes : MALFORMED) {
            final ByteBuf in = kind.wrap(bytes);
            assertThrows(ProtocolException.class, () -> ModifiedUtf8.readIfComplete(in));
            in.release();
        }
    }

    @Test
    void refusesToWriteMoreThanTheLengthCanSayAndWritesNothing() {
        final ByteBuf out = Unpooled.buffer();
        assertThrows(ProtocolException.class, () -> ModifiedUtf8.write(out, "x".repeat(65_536)));
        assertThrows(ProtocolException.class, () -> ModifiedUtf8.write(out, "\u20AC".repeat(21_846)));
        assertEquals(0, out.readableBytes());
        out.release();
    }
}
