// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import org.apache.nifi.remote.io.CompressionInputStream;
import org.apache.nifi.remote.io.CompressionOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@link ChunkInflater} and {@link ChunkDeflater} against NiFi's {@link CompressionInputStream} and
 * {@link CompressionOutputStream}.
 */
class ChunkCodecTest {
    private static final int STEP_BYTES = 1_000;
    private static final int LAST = 0;
    private static final int ANOTHER = 1;
    private static final long SEED = 11;

    /** The longest that MiNiFi C++ 1.0 takes, deflated. */
    private static final int MOST_OF_MINIFI = 65_536;

    private final ChunkInflater inflater = new ChunkInflater();
    private final ChunkDeflater deflater = new ChunkDeflater();

    @AfterEach
    void close() {
        inflater.close();
        deflater.close();
    }

    private static List<byte[]> plains() {
        final Random random = new Random(SEED);
        final byte[] text = "all work and no play ".repeat(10_000).getBytes();
        return List.of(
                "x".getBytes(),
                text,
                Arrays.copyOf(text, ChunkDeflater.CHUNK_BYTES),
                Arrays.copyOf(text, 2 * ChunkDeflater.CHUNK_BYTES),
                NiFiPackets.randomBytes(random, ChunkDeflater.CHUNK_BYTES - 1),
                NiFiPackets.randomBytes(random, ChunkDeflater.CHUNK_BYTES + 1),
                NiFiPackets.randomBytes(random, 200_000),
                new byte[300_000]);
    }

    private static byte[] deflatedByNiFi(final byte[] plain) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new CompressionOutputStream(bytes, ChunkDeflater.CHUNK_BYTES)) {
            out.write(plain);
        }
        return bytes.toByteArray();
    }

    private static byte[] zlib(final byte[] plain) {
        final Deflater zlib = new Deflater();
        zlib.setInput(plain);
        zlib.finish();
        final byte[] out = new byte[plain.length + 100];
        final int length = zlib.deflate(out);
        zlib.end();
        return Arrays.copyOf(out, length);
    }

    private static byte[] chunk(final int plainLength, final int deflatedLength, final byte[] data, final int more)
            throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        out.writeBytes("SYNC");
        out.writeInt(plainLength);
        out.writeInt(deflatedLength);
        out.write(data);
        out.write(more);
        return bytes.toByteArray();
    }

    private void inflateAll(final ByteBuf in, final ByteArrayOutputStream plain) throws ProtocolException {
        final ByteBuf step = Unpooled.directBuffer(STEP_BYTES, STEP_BYTES);
        try {
            while (inflater.inflate(in, step)) {
                plain.writeBytes(ByteBufUtil.getBytes(step));
                step.clear();
            }
        } finally {
            step.release();
        }
    }

    private byte[] inflateAll(final byte[] chunks) throws ProtocolException {
        final ByteArrayOutputStream plain = new ByteArrayOutputStream();
        inflateAll(Unpooled.wrappedBuffer(chunks), plain);
        return plain.toByteArray();
    }

    @ParameterizedTest
    @MethodSource("org.nios2s.wire.Arrival#all")
    void chunksOfNiFiAreInflatedHoweverTheyArrive(final Arrival arrival) throws IOException {
        final byte[] text = "all work and no play ".repeat(5_000).getBytes();
        final byte[] noise = NiFiPackets.randomBytes(new Random(SEED), 3_000);
        for (final byte[] plain : List.of(text, noise)) {
            final ByteArrayOutputStream out = new ByteArrayOutputStream();
            final byte[] left = arrival.feed(deflatedByNiFi(plain), in -> inflateAll(in, out));
            assertArrayEquals(plain, out.toByteArray());
            assertEquals(0, left.length);
            assertTrue(inflater.isAtEnd());
            inflater.nextPacket();
        }
    }

    @Test
    void everySizeOfPacketIsInflated() throws IOException {
        for (final byte[] plain : plains()) {
            assertArrayEquals(plain, inflateAll(deflatedByNiFi(plain)));
            assertTrue(inflater.isAtEnd());
            inflater.nextPacket();
        }
    }

    @ParameterizedTest
    @EnumSource(BufferKind.class)
    void whatIsDeflatedIsByteForByteWhatNiFiDeflatesInChunksOfThatSize(final BufferKind kind) throws IOException {
        for (final byte[] plain : plains()) {
            final ByteBuf out = kind.wrap(new byte[0]);
            final Random random = new Random(SEED);
            int from = 0;
            while (from < plain.length) {
                final int length = Math.min(plain.length - from, 1 + random.nextInt(90_000));
                final ByteBuf piece = kind.wrap(Arrays.copyOfRange(plain, from, from + length));
                deflater.deflate(piece, out);
                assertFalse(piece.isReadable());
                piece.release();
                from += length;
            }
            deflater.endPacket(out);
            assertArrayEquals(deflatedByNiFi(plain), ByteBufUtil.getBytes(out));
            out.release();
        }
    }

    @Test
    void noChunkIsLongerThanMinifiTakes() {
        final byte[] plain = NiFiPackets.randomBytes(new Random(SEED), 10 * ChunkDeflater.CHUNK_BYTES);
        final ByteBuf out = Unpooled.buffer();
        deflater.deflate(Unpooled.wrappedBuffer(plain), out);
        deflater.endPacket(out);
        int chunks = 0;
        while (out.isReadable()) {
            out.skipBytes("SYNC".length() + Integer.BYTES);
            final int deflatedLength = out.readInt();
            assertTrue(deflatedLength <= MOST_OF_MINIFI, deflatedLength + " deflated bytes");
            out.skipBytes(deflatedLength + 1);
            chunks++;
        }
        assertEquals(10, chunks);
        out.release();
    }

    @Test
    void whatIsDeflatedIsReadByNiFi() throws IOException {
        for (final byte[] plain : plains()) {
            final ByteBuf out = Unpooled.buffer();
            deflater.deflate(Unpooled.wrappedBuffer(plain), out);
            deflater.endPacket(out);
            try (CompressionInputStream in =
                    new CompressionInputStream(new ByteArrayInputStream(ByteBufUtil.getBytes(out)))) {
                assertArrayEquals(plain, in.readAllBytes());
            }
            out.release();
        }
    }

    @Test
    void nothingBehindThePacketIsConsumed() throws IOException {
        final ByteBuf in = Unpooled.wrappedBuffer(deflatedByNiFi("x".getBytes()), new byte[] {'R', 'C', 11});
        inflateAll(in, new ByteArrayOutputStream());
        assertEquals(3, in.readableBytes());
    }

    @Test
    void aWrongSyncIsRefusedAtItsFirstWrongByte() {
        for (final String start : List.of("X", "SX", "SYX", "SYNX", "sync")) {
            final ByteBuf plain = Unpooled.buffer(STEP_BYTES);
            assertThrows(
                    ProtocolException.class, () -> inflater.inflate(Unpooled.wrappedBuffer(start.getBytes()), plain));
        }
    }

    @Test
    void negativeLengthsAreRefused() throws IOException {
        for (final int[] lengths : List.of(new int[] {-1, 5}, new int[] {5, -1}, new int[] {Integer.MIN_VALUE, 0})) {
            final byte[] bytes = chunk(lengths[0], lengths[1], new byte[0], LAST);
            try (ChunkInflater fresh = new ChunkInflater()) {
                final ByteBuf plain = Unpooled.buffer(STEP_BYTES);
                assertThrows(ProtocolException.class, () -> fresh.inflate(Unpooled.wrappedBuffer(bytes), plain));
            }
        }
    }

    @Test
    void bytesThatAreNoZlibDataAreRefused() throws IOException {
        final byte[] bytes = chunk(10, 10, "no zlib!!!".getBytes(), LAST);
        assertThrows(ProtocolException.class, () -> inflateAll(bytes));
    }

    @Test
    void aChunkThatNeedsADictionaryIsRefused() throws IOException {
        final Deflater zlib = new Deflater();
        zlib.setDictionary("dictionary".getBytes());
        zlib.setInput("dictionary".getBytes());
        zlib.finish();
        final byte[] out = new byte[100];
        final int length = zlib.deflate(out);
        zlib.end();
        final byte[] bytes = chunk(10, length, Arrays.copyOf(out, length), LAST);
        assertThrows(ProtocolException.class, () -> inflateAll(bytes));
    }

    @Test
    void aByteOtherThanZeroOrOneBehindAChunkIsRefused() throws IOException {
        for (final int more : new int[] {2, 127, 128, 255}) {
            final byte[] data = zlib("abc".getBytes());
            final byte[] bytes = chunk(3, data.length, data, more);
            try (ChunkInflater fresh = new ChunkInflater()) {
                final ByteBuf plain = Unpooled.buffer(STEP_BYTES);
                assertThrows(ProtocolException.class, () -> fresh.inflate(Unpooled.wrappedBuffer(bytes), plain));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("org.nios2s.wire.Arrival#all")
    void chunksThatLieAboutTheirLengthsYieldWhatNiFiYields(final Arrival arrival) throws IOException {
        final byte[] data = zlib("0123456789".repeat(20).getBytes());
        final byte[] withTail = Arrays.copyOf(data, data.length + 9);
        for (final byte[] bytes : List.of(
                chunk(150, data.length, data, LAST),
                chunk(1, data.length, data, LAST),
                chunk(2_500, data.length, data, LAST),
                chunk(200, withTail.length, withTail, LAST),
                chunk(150, withTail.length, withTail, LAST),
                chunk(260, withTail.length, withTail, LAST),
                chunk(200, data.length - 5, Arrays.copyOf(data, data.length - 5), LAST),
                chunk(40, 0, new byte[0], LAST))) {
            final byte[] expected = new CompressionInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
            final ByteArrayOutputStream plain = new ByteArrayOutputStream();
            final byte[] left = arrival.feed(bytes, in -> inflateAll(in, plain));
            assertArrayEquals(expected, plain.toByteArray());
            assertEquals(0, left.length);
            assertTrue(inflater.isAtEnd());
            inflater.nextPacket();
        }
    }

    @Test
    void aPacketThatEndsEarlyIsNotAtItsEnd() throws IOException {
        final byte[] bytes = deflatedByNiFi("abcdef".getBytes());
        for (int length = 0; length < bytes.length; length++) {
            inflateAll(Arrays.copyOf(bytes, length));
            assertFalse(inflater.isAtEnd());
            inflater.nextPacket();
        }
    }

    @Test
    void anotherChunkFollowsWhenThePeerSaysSo() throws IOException {
        final byte[] first = zlib("first ".getBytes());
        final byte[] second = zlib("second".getBytes());
        assertEquals("first ", new String(inflateAll(chunk(6, first.length, first, ANOTHER))));
        assertFalse(inflater.isAtEnd());
        assertEquals("second", new String(inflateAll(chunk(6, second.length, second, LAST))));
        assertTrue(inflater.isAtEnd());
    }

    @ParameterizedTest
    @MethodSource("org.nios2s.wire.Arrival#all")
    void whatAChunkHoldsBeyondItsPacketIsDropped(final Arrival arrival) throws IOException {
        final byte[] data = zlib("packet and what nobody asked for".repeat(100).getBytes());
        final byte[] bytes = chunk(3_200, data.length, data, LAST);
        final ByteBuf scratch = Unpooled.directBuffer(STEP_BYTES, STEP_BYTES);
        final ByteBuf packet = Unpooled.buffer(6, 6);
        final byte[] left = arrival.feed(bytes, in -> {
            if (packet.isWritable()) {
                inflater.inflate(in, packet);
            }
            if (!packet.isWritable()) {
                finish(in, scratch);
            }
        });
        assertEquals("packet", packet.toString(StandardCharsets.US_ASCII));
        assertTrue(inflater.isAtEnd());
        assertEquals(0, left.length);
        assertEquals(0, scratch.readableBytes());
        scratch.release();
    }

    private void finish(final ByteBuf in, final ByteBuf scratch) throws ProtocolException {
        boolean progress = true;
        while (progress) {
            progress = inflater.finishChunk(in, scratch);
        }
    }

    @Test
    void theRestOfAChunkIsDroppedInPortions() throws IOException {
        final byte[] data = zlib(new byte[100 * STEP_BYTES]);
        final ByteBuf in = Unpooled.wrappedBuffer(chunk(100 * STEP_BYTES, data.length, data, LAST));
        final ByteBuf scratch = Unpooled.directBuffer(STEP_BYTES, STEP_BYTES);
        inflater.inflate(in, scratch);
        int portions = 0;
        while (inflater.finishChunk(in, scratch)) {
            portions++;
        }
        assertTrue(portions >= 99, "in " + portions + " portions");
        assertTrue(inflater.isAtEnd());
        scratch.release();
    }

    @Test
    void aPacketThatEndsWithItsChunkHasNoOtherOne() throws IOException {
        final byte[] data = zlib("packet".getBytes());
        final byte[] empty = zlib(new byte[0]);
        final ByteBuf in =
                Unpooled.wrappedBuffer(chunk(6, data.length, data, ANOTHER), chunk(0, empty.length, empty, LAST));
        final ByteBuf plain = Unpooled.directBuffer(STEP_BYTES, STEP_BYTES);
        inflater.inflate(in, plain);
        assertEquals("packet", plain.toString(StandardCharsets.US_ASCII));
        assertTrue(inflater.isBetweenChunks());
        assertEquals('S', in.getByte(in.readerIndex()));
        plain.release();
    }

    @Test
    @Timeout(5)
    void aChunkThatClaimsTwoGibibytesIsPassedOnInSmallPiecesAndItsRestIsDroppedAtOnce() throws IOException {
        final byte[] data = zlib("few".getBytes());
        final ByteBuf in = Unpooled.wrappedBuffer(chunk(Integer.MAX_VALUE, data.length, data, LAST));
        final ByteBuf plain = Unpooled.directBuffer(STEP_BYTES, STEP_BYTES);
        assertTrue(inflater.inflate(in, plain));
        assertEquals(STEP_BYTES, plain.readableBytes());
        plain.clear();
        finish(in, plain);
        assertTrue(inflater.isAtEnd());
        plain.release();
    }

    @Test
    void deflatedBytesThatNeverComeAreWaitedForWithoutMemory() throws IOException {
        final byte[] data = zlib("few".getBytes());
        final ByteBuf in = Unpooled.wrappedBuffer(chunk(3, Integer.MAX_VALUE, data, LAST));
        final ByteBuf plain = Unpooled.directBuffer(STEP_BYTES, STEP_BYTES);
        inflater.inflate(in, plain);
        assertEquals("few", plain.toString(StandardCharsets.US_ASCII));
        assertFalse(inflater.isAtEnd());
        assertFalse(in.isReadable());
        plain.release();
    }

    @Test
    void plainBytesNeedOneContiguousBuffer() {
        final ByteBuf composite = BufferKind.COMPOSITE.wrap(new byte[90]).clear();
        assertThrows(IllegalArgumentException.class, () -> inflater.inflate(Unpooled.EMPTY_BUFFER, composite));
        composite.release();
    }
}
