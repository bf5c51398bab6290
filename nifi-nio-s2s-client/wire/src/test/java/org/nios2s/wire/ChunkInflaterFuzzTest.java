// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.wire.NiFiPackets.Packet;

/**
 * Any bytes at all to {@link ChunkInflater}: it yields the same plain bytes however the chunks arrive, or refuses them, and
 * always comes to an end. Lives on the test's thread.
 */
class ChunkInflaterFuzzTest {
    private static final int STEP_BYTES = 256;
    private static final int LARGEST_CONTENT = 1_000;
    private static final long SEED = 7;

    /** A chunk may promise 2 GiB of zeros: so many of them are enough. */
    private static final int MOST_PLAIN_BYTES = 64 * STEP_BYTES;

    static Stream<Arguments> chunksOfNiFi() throws IOException {
        final List<Packet> packets = NiFiPackets.samples(SEED, LARGEST_CONTENT);
        final Stream.Builder<Arguments> seeds = Stream.builder();
        for (final Packet packet : packets) {
            seeds.add(
                    Arguments.of(SEED, NiFiPackets.write(List.of(packet), true).bytes()));
        }
        return seeds.build();
    }

    /**
     * What became of some bytes: plain ones, what was left, whether they were refused or cut off at the most. A refusal
     * within a step of the most counts as cut off, too: bytes that arrived otherwise may not have been taken so far.
     */
    private record Outcome(String plain, int left, boolean refused, boolean atEnd, boolean cut) {}

    @MethodSource("chunksOfNiFi")
    @FuzzTest(maxDuration = FuzzTime.OF_A_DECODER)
    void chunksAreInflatedInTheSameWayHoweverTheyArrive(final long seed, final byte[] bytes) {
        if (bytes == null) {
            return;
        }
        final Outcome atOnce = inflate(new Arrival(BufferKind.HEAP, Arrival.Pieces.WHOLE, 0), bytes);
        final BufferKind kind = seed % 2 == 0 ? BufferKind.HEAP : BufferKind.DIRECT;
        final Outcome singly = inflate(new Arrival(kind, Arrival.Pieces.SINGLE_BYTES, 0), bytes);
        final Outcome inPieces = inflate(new Arrival(kind, Arrival.Pieces.RANDOM, seed), bytes);
        assertAlike(atOnce, singly);
        assertAlike(atOnce, inPieces);
        rest(bytes, (int) Math.floorMod(seed, (long) STEP_BYTES));
    }

    private static void assertAlike(final Outcome expected, final Outcome actual) {
        if (expected.refused && actual.refused) {
            return;
        }
        assertEquals(expected.cut, actual.cut);
        if (!expected.cut) {
            assertEquals(expected, actual);
        }
    }

    private static Outcome inflate(final Arrival arrival, final byte[] bytes) {
        final ByteArrayOutputStream plain = new ByteArrayOutputStream();
        try (ChunkInflater inflater = new ChunkInflater()) {
            final byte[] left = arrival.feed(bytes, in -> inflateAll(inflater, in, plain));
            return new Outcome(
                    HexFormat.of().formatHex(plain.toByteArray()),
                    left.length,
                    false,
                    inflater.isAtEnd(),
                    plain.size() >= MOST_PLAIN_BYTES);
        } catch (final ProtocolException e) {
            return new Outcome("", 0, true, false, plain.size() >= MOST_PLAIN_BYTES - STEP_BYTES);
        }
    }

    private static void inflateAll(final ChunkInflater inflater, final ByteBuf in, final ByteArrayOutputStream plain)
            throws ProtocolException {
        final ByteBuf step = Unpooled.directBuffer(STEP_BYTES, STEP_BYTES);
        try {
            while (plain.size() < MOST_PLAIN_BYTES && inflater.inflate(in, step)) {
                plain.writeBytes(ByteBufUtil.getBytes(step));
                step.clear();
            }
        } finally {
            step.release();
        }
    }

    /** A packet that ends within a chunk leaves the rest of it to be dropped, which takes no longer than there are bytes. */
    private static void rest(final byte[] bytes, final int plainBytes) {
        final ByteBuf in = Unpooled.wrappedBuffer(bytes);
        final ByteBuf plain = Unpooled.directBuffer(1 + plainBytes, 1 + plainBytes);
        final ByteBuf scratch = Unpooled.directBuffer(STEP_BYTES, STEP_BYTES);
        try (ChunkInflater inflater = new ChunkInflater()) {
            inflater.inflate(in, plain);
            inflater.finishChunk(in, scratch);
            assertEquals(0, scratch.readableBytes());
        } catch (final ProtocolException e) {
            assertTrue(in.readerIndex() <= bytes.length);
        } finally {
            plain.release();
            scratch.release();
        }
    }
}
