// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.protocol.DataPacket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.wire.NiFiPackets.Collector;
import org.nios2s.wire.NiFiPackets.Packet;
import org.nios2s.wire.NiFiPackets.Written;

/** {@link PacketDecoder} and {@link PacketEncoder} against NiFi's {@link StandardFlowFileCodec}. */
class PacketCodecTest {
    private static final int ATTRIBUTE_LIMIT = 1 << 20;
    private static final int LARGEST_CONTENT = 20_000;
    private static final int TWO_GIB = Integer.MAX_VALUE;
    private static final long SEED = 7;

    private interface Fields {
        void write(DataOutputStream out) throws IOException;
    }

    private static ByteBuf bytes(final Fields fields) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        fields.write(new DataOutputStream(bytes));
        return Unpooled.wrappedBuffer(bytes.toByteArray());
    }

    private static void assertRefused(final Fields fields) throws IOException {
        final PacketDecoder decoder = new PacketDecoder(new Collector(), ATTRIBUTE_LIMIT);
        final ByteBuf in = bytes(fields);
        assertThrows(ProtocolException.class, () -> decoder.decode(in));
    }

    @ParameterizedTest
    @MethodSource("org.nios2s.wire.Arrival#all")
    void packetsOfNiFiAreReadHoweverTheyArriveAndTheChecksumIsNiFis(final Arrival arrival) throws IOException {
        final List<Packet> packets = NiFiPackets.samples(SEED, LARGEST_CONTENT);
        final Written written = NiFiPackets.write(packets, false);
        final Collector collector = new Collector();
        final PacketDecoder decoder = new PacketDecoder(collector, ATTRIBUTE_LIMIT);
        final byte[] left = arrival.feed(written.bytes(), in -> {
            boolean complete = true;
            while (complete && in.isReadable()) {
                complete = decoder.decode(in);
            }
        });
        assertEquals(packets.stream().map(NiFiPackets::asReceived).toList(), collector.packets);
        assertEquals(written.checksum(), decoder.checksum());
        assertEquals(0, left.length);
        assertTrue(decoder.isBetweenPackets());
        assertEquals(0, decoder.heldBytes());
    }

    @ParameterizedTest
    @EnumSource(BufferKind.class)
    void whatIsWrittenIsByteForByteWhatNiFiWrites(final BufferKind kind) throws IOException {
        for (final Packet packet : NiFiPackets.samples(SEED, LARGEST_CONTENT)) {
            final ByteBuf out = kind.wrap(new byte[0]);
            final byte[] content = packet.contentBytes();
            PacketEncoder.writeHeader(out, packet.attributes(), content.length);
            out.writeBytes(content);
            final byte[] bytes = ByteBufUtil.getBytes(out);
            out.release();
            assertArrayEquals(NiFiPackets.write(List.of(packet), false).bytes(), bytes);
            final DataPacket read = new StandardFlowFileCodec().decode(new ByteArrayInputStream(bytes));
            assertEquals(NiFiPackets.asReceived(packet).attributes(), read.getAttributes());
            assertEquals(content.length, read.getSize());
            assertArrayEquals(content, read.getData().readAllBytes());
        }
    }

    @Test
    void notAByteBehindThePacketIsConsumed() throws IOException {
        final byte[] packet = NiFiPackets.write(NiFiPackets.samples(SEED, 10).subList(1, 2), false)
                .bytes();
        final ByteBuf in = Unpooled.wrappedBuffer(packet, new byte[] {'R', 'C', 11});
        assertTrue(new PacketDecoder(new Collector(), ATTRIBUTE_LIMIT).decode(in));
        assertEquals(3, in.readableBytes());
    }

    @Test
    void aPacketThatEndsEarlyIsNotComplete() throws IOException {
        final byte[] packet = NiFiPackets.write(NiFiPackets.samples(SEED, 100).subList(2, 3), false)
                .bytes();
        for (int length = 0; length < packet.length; length++) {
            final Collector collector = new Collector();
            final PacketDecoder decoder = new PacketDecoder(collector, ATTRIBUTE_LIMIT);
            assertFalse(decoder.decode(Unpooled.wrappedBuffer(packet, 0, length)));
            assertEquals(List.of(), collector.packets);
            assertEquals(length < Integer.BYTES, decoder.isBetweenPackets());
        }
    }

    @Test
    void twentyFiveThousandAttributesAreTheMost() throws IOException {
        final Map<String, String> attributes = new HashMap<>();
        for (int i = 0; i < PacketDecoder.MAX_ATTRIBUTES; i++) {
            attributes.put("a" + i, "");
        }
        final Packet packet = Packet.of(attributes, new byte[0]);
        final Collector collector = new Collector();
        final byte[] bytes = NiFiPackets.write(List.of(packet), false).bytes();
        assertTrue(new PacketDecoder(collector, ATTRIBUTE_LIMIT).decode(Unpooled.wrappedBuffer(bytes)));
        assertEquals(List.of(packet), collector.packets);
        assertEquals(StandardFlowFileCodec.MAX_NUM_ATTRIBUTES, PacketDecoder.MAX_ATTRIBUTES);
        assertRefused(out -> out.writeInt(PacketDecoder.MAX_ATTRIBUTES + 1));
    }

    @Test
    void absurdCountsAndLengthsAreRefusedAtOnce() throws IOException {
        assertRefused(out -> out.writeInt(-1));
        assertRefused(out -> out.writeInt(Integer.MIN_VALUE));
        assertRefused(out -> out.writeInt(TWO_GIB));
        assertRefused(out -> writeInts(out, 1, -1));
        assertRefused(out -> writeInts(out, 1, Integer.MIN_VALUE));
        assertRefused(out -> writeInts(out, 1, TWO_GIB));
        assertRefused(out -> {
            writeInts(out, 1, 1);
            out.write('n');
            out.writeInt(-5);
        });
        assertRefused(out -> {
            writeInts(out, 1, 1);
            out.write('n');
            out.writeInt(ATTRIBUTE_LIMIT);
        });
    }

    private static void writeInts(final DataOutputStream out, final int... values) throws IOException {
        for (final int value : values) {
            out.writeInt(value);
        }
    }

    @Test
    void attributesOfAllFieldsTogetherStayUnderTheLimitAndEveryPacketHasItsOwn() throws IOException {
        final PacketDecoder decoder = new PacketDecoder(new Collector(), 10);
        final Packet packet = Packet.of(Map.of("12345", "67890"), new byte[0]);
        final byte[] bytes = NiFiPackets.write(List.of(packet), false).bytes();
        assertTrue(decoder.decode(Unpooled.wrappedBuffer(bytes)));
        assertTrue(decoder.decode(Unpooled.wrappedBuffer(bytes)));
        final byte[] larger = NiFiPackets.write(List.of(Packet.of(Map.of("12345", "678901"), new byte[0])), false)
                .bytes();
        assertThrows(ProtocolException.class, () -> decoder.decode(Unpooled.wrappedBuffer(larger)));
    }

    @Test
    void anAttributeThatClaimsTwoGibibytesCostsOnlyWhatHasArrived() throws IOException {
        final PacketDecoder decoder = new PacketDecoder(new Collector(), Integer.MAX_VALUE);
        assertFalse(decoder.decode(bytes(out -> {
            writeInts(out, 1, TWO_GIB);
            out.writeBytes("only this");
        })));
        assertTrue(decoder.heldBytes() <= 256, "held " + decoder.heldBytes());
    }

    @Test
    void aContentThatClaimsManyBytesIsHandedOnAsItArrives() throws IOException {
        final Collector collector = new Collector();
        final PacketDecoder decoder = new PacketDecoder(collector, ATTRIBUTE_LIMIT);
        assertFalse(decoder.decode(bytes(out -> {
            out.writeInt(0);
            out.writeLong(Long.MAX_VALUE);
            out.writeBytes("few");
        })));
        assertEquals(0, decoder.heldBytes());
        assertFalse(decoder.isBetweenPackets());
    }

    @Test
    void aNegativeContentLengthMeansNoContentAsInNiFi() throws IOException {
        final byte[] bytes = ByteBufUtil.getBytes(bytes(out -> {
            out.writeInt(0);
            out.writeLong(-5);
        }));
        final DataPacket oracle = new StandardFlowFileCodec().decode(new ByteArrayInputStream(bytes));
        assertEquals(-1, oracle.getData().read());
        final Collector collector = new Collector();
        assertTrue(new PacketDecoder(collector, ATTRIBUTE_LIMIT).decode(Unpooled.wrappedBuffer(bytes)));
        assertEquals(List.of(Packet.of(Map.of(), new byte[0])), collector.packets);
    }

    @Test
    void theLastOfTwoAttributesWithOneNameCounts() throws IOException {
        final Collector collector = new Collector();
        new PacketDecoder(collector, ATTRIBUTE_LIMIT).decode(bytes(out -> {
            out.writeInt(2);
            for (final String value : List.of("1", "2")) {
                out.writeInt(1);
                out.writeBytes("n");
                out.writeInt(1);
                out.writeBytes(value);
            }
            out.writeLong(0);
        }));
        assertEquals(Map.of("n", "2"), collector.packets.get(0).attributes());
    }

    @ParameterizedTest
    @EnumSource(BufferKind.class)
    void theChecksumIsTheCrc32OfTheBytesInEveryKindOfBuffer(final BufferKind kind) {
        final byte[] bytes = "The CRC covers what stands between".getBytes();
        final CRC32 expected = new CRC32();
        expected.update(bytes, 3, 20);
        final CRC32 actual = new CRC32();
        final ByteBuf buffer = kind.wrap(bytes);
        Checksum.update(actual, buffer, 3, 20);
        buffer.release();
        assertEquals(expected.getValue(), actual.getValue());
    }

    @Test
    void theOracleItselfEndsBetweenPackets() throws IOException {
        assertNull(new StandardFlowFileCodec().decode(new ByteArrayInputStream(new byte[0])));
    }

    @Test
    void textBeyondLatin1IsCountedAsItTakesMemory() throws IOException {
        final String wide = "\u0101".repeat(100_000);
        final int bytes = Character.BYTES * wide.length();
        assertTrue(AttributeMemory.of(Map.of("name", wide)) >= bytes);
        final PacketDecoder decoder = new PacketDecoder(new Collector(), ATTRIBUTE_LIMIT);
        assertFalse(decoder.decode(bytes(out -> {
            final byte[] name = wide.getBytes(StandardCharsets.UTF_8);
            writeInts(out, 1, name.length);
            out.write(name);
        })));
        assertTrue(decoder.heldBytes() >= bytes, "held " + decoder.heldBytes());
    }
}
