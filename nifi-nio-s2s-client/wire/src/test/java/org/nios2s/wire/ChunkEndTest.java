// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.wire.NiFiPackets.Collector;
import org.nios2s.wire.NiFiPackets.Packet;

/** The end of a chunk's zlib data is checked, whatever has arrived before it. Lives on the test's thread. */
class ChunkEndTest {
    private static final int STEP_BYTES = 256;

    /** From the end: the byte behind the chunk, and before it the last byte of zlib's checksum. */
    private static final int CHECKSUM_FROM_END = 2;

    private static final int CONTENT_BYTES = 4_000;

    @ParameterizedTest
    @MethodSource("org.nios2s.wire.Arrival#all")
    void aWrongChecksumOfZlibIsRefusedHoweverItArrives(final Arrival arrival) throws IOException {
        final Packet packet = Packet.of(Map.of("name", "value"), new byte[CONTENT_BYTES]);
        final byte[] chunk = NiFiPackets.write(List.of(packet), true).bytes();
        chunk[chunk.length - CHECKSUM_FROM_END]++;
        final ByteBuf plain = Unpooled.directBuffer(STEP_BYTES, STEP_BYTES);
        try (ChunkInflater inflater = new ChunkInflater()) {
            assertThrows(
                    ProtocolException.class,
                    () -> arrival.feed(chunk, in -> {
                        while (inflater.inflate(in, plain)) {
                            plain.clear();
                        }
                    }));
        } finally {
            plain.release();
        }
    }

    @ParameterizedTest
    @MethodSource("org.nios2s.wire.Arrival#all")
    void whatCanBeInflatedIsYieldedBeforeTheChunkIsOver(final Arrival arrival) throws IOException {
        final Packet packet = Packet.of(Map.of("name", "value"), new byte[CONTENT_BYTES]);
        final byte[] chunk = NiFiPackets.write(List.of(packet), true).bytes();
        final Arrival singly = new Arrival(BufferKind.HEAP, Arrival.Pieces.SINGLE_BYTES, 0);
        for (int length = 0; length <= chunk.length; length++) {
            final byte[] begun = Arrays.copyOf(chunk, length);
            assertEquals(inflated(singly, begun), inflated(arrival, begun), length + " bytes");
        }
    }

    private static int inflated(final Arrival arrival, final byte[] bytes) throws IOException {
        final ByteBuf plain = Unpooled.directBuffer(STEP_BYTES, STEP_BYTES);
        final AtomicInteger inflated = new AtomicInteger();
        try (ChunkInflater inflater = new ChunkInflater()) {
            arrival.feed(bytes, in -> {
                while (inflater.inflate(in, plain)) {
                    inflated.addAndGet(plain.readableBytes());
                    plain.clear();
                }
            });
        } finally {
            plain.release();
        }
        return inflated.get();
    }

    @Test
    void aPauseBehindTheLastChunkIsNoEndWhateverIsSaidTheNextTime() throws IOException {
        final Packet packet = Packet.of(Map.of("name", "v".repeat(CONTENT_BYTES)), new byte[0]);
        final ByteBuf in =
                Unpooled.wrappedBuffer(NiFiPackets.write(List.of(packet), true).bytes());
        final Iterator<Boolean> pauses =
                List.of(false, false, true, true, false, true).iterator();
        final Collector collector = new Collector();
        try (PacketReader reader = new PacketReader(
                new PacketDecoder(collector, Integer.MAX_VALUE),
                true,
                ByteBufAllocator.DEFAULT,
                () -> pauses.hasNext() && pauses.next())) {
            assertFalse(reader.readPacket(in));
            assertFalse(reader.readPacket(in));
            assertTrue(reader.readPacket(in));
        }
        assertEquals(List.of(packet), collector.packets);
    }

    @Test
    void whatShrinksLikeTextInflatesAsItShould() throws IOException {
        final byte[] noise = NiFiPackets.randomBytes(new Random(1), CONTENT_BYTES);
        assertFalse(inflatesAbnormally(Packet.of(Map.of(), noise)));
        final byte[] text = HexFormat.of().formatHex(noise).repeat(4).getBytes(StandardCharsets.US_ASCII);
        assertFalse(inflatesAbnormally(Packet.of(Map.of(), text)));
        assertTrue(inflatesAbnormally(Packet.of(Map.of(), new byte[CONTENT_BYTES])));
    }

    private static boolean inflatesAbnormally(final Packet packet) throws IOException {
        final ByteBuf in =
                Unpooled.wrappedBuffer(NiFiPackets.write(List.of(packet), true).bytes());
        try (PacketReader reader = new PacketReader(
                new PacketDecoder(new Collector(), Integer.MAX_VALUE), true, ByteBufAllocator.DEFAULT, () -> false)) {
            assertFalse(reader.inflatesAbnormally());
            while (!reader.readPacket(in)) {
                assertTrue(reader.hasPaused());
            }
            return reader.inflatesAbnormally();
        }
    }
}
