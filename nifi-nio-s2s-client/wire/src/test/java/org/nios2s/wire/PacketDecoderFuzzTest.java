// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.wire.NiFiPackets.Collector;
import org.nios2s.wire.NiFiPackets.Packet;

/**
 * Any bytes at all to {@link PacketDecoder}: it takes them apart in the same way however they arrive, or refuses them, and
 * holds no more than has arrived. Lives on the test's thread.
 */
class PacketDecoderFuzzTest {
    private static final int ATTRIBUTE_LIMIT = 4_096;
    private static final int LARGEST_CONTENT = 100;
    /** Before each name and each value stands its length: the fewest bytes of an attribute. */
    private static final int LENGTHS_OF_AN_ATTRIBUTE = 2 * Integer.BYTES;

    private static final int SMALLEST_FIELD = 256;
    private static final long SEED = 7;

    static Stream<Arguments> packetsOfNiFi() throws IOException {
        final List<Packet> packets = NiFiPackets.samples(SEED, LARGEST_CONTENT);
        final Stream.Builder<Arguments> seeds = Stream.builder();
        for (int count = 1; count <= packets.size(); count++) {
            seeds.add(Arguments.of(
                    (long) count,
                    NiFiPackets.write(packets.subList(0, count), false).bytes()));
        }
        return seeds.build();
    }

    /** What became of some bytes: packets, what was left, whether they were refused, and the checksum of what was taken. */
    private record Outcome(List<Packet> packets, int left, boolean refused, long checksum) {}

    @MethodSource("packetsOfNiFi")
    @FuzzTest(maxDuration = FuzzTime.OF_A_DECODER)
    void bytesAreTakenApartInTheSameWayHoweverTheyArrive(final long seed, final byte[] bytes) {
        if (bytes == null) {
            return;
        }
        final Outcome atOnce = decode(new Arrival(BufferKind.HEAP, Arrival.Pieces.WHOLE, 0), bytes);
        final BufferKind kind = BufferKind.values()[Math.floorMod((int) seed, BufferKind.values().length)];
        assertEquals(atOnce, decode(new Arrival(kind, Arrival.Pieces.SINGLE_BYTES, 0), bytes));
        assertEquals(atOnce, decode(new Arrival(kind, Arrival.Pieces.RANDOM, seed), bytes));
        if (!atOnce.refused) {
            final CRC32 expected = new CRC32();
            expected.update(bytes, 0, bytes.length - atOnce.left);
            assertEquals(expected.getValue(), atOnce.checksum);
        }
    }

    private static Outcome decode(final Arrival arrival, final byte[] bytes) {
        final Collector collector = new Collector();
        final PacketDecoder decoder = new PacketDecoder(collector, ATTRIBUTE_LIMIT);
        try {
            final byte[] left = arrival.feed(bytes, in -> decodeAll(decoder, in, mostHeld(bytes.length)));
            return new Outcome(collector.packets, left.length, false, decoder.checksum());
        } catch (final ProtocolException e) {
            return new Outcome(collector.packets, 0, true, 0);
        }
    }

    /** What attributes of that many bytes may take on the heap: an array that grows is at most twice as long as what is in it. */
    private static int mostHeld(final int bytes) {
        return SMALLEST_FIELD + 2 * bytes + bytes / LENGTHS_OF_AN_ATTRIBUTE * AttributeMemory.of("", "");
    }

    private static void decodeAll(final PacketDecoder decoder, final ByteBuf in, final int mostHeld)
            throws ProtocolException {
        boolean complete = true;
        while (complete && in.isReadable()) {
            complete = decoder.decode(in);
        }
        assertTrue(decoder.heldBytes() <= mostHeld, () -> decoder.heldBytes() + " bytes are held");
    }
}
