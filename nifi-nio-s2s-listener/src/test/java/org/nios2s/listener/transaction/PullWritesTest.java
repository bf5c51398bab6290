// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.nifi.flowfile.FlowFile;
import org.apache.nifi.processor.ProcessSession;
import org.apache.nifi.provenance.ProvenanceReporter;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.io.CompressionOutputStream;
import org.apache.nifi.remote.protocol.HandshakeProperties;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.remote.util.StandardDataPacket;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.listener.transaction.HeldSessions.HeldSession;
import org.nios2s.wire.ChunkDeflater;

/**
 * The writes of a pull against those that NiFi's own codec and streams make of the same FlowFiles. Lives on the test's thread.
 */
class PullWritesTest {
    private static final int RECORD_BYTES = 16 * 1024;
    private static final int SMALL_PIECE = 16 * 1024;
    private static final int LARGE_PIECE = 256 * 1024;

    /** Bytes, and where each write of them ends. */
    private static final class Writes extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final NavigableSet<Integer> ends = new TreeSet<>();

        @Override
        public void write(final int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(final byte[] values, final int from, final int length) {
            bytes.write(values, from, length);
            ends.add(bytes.size());
        }
    }

    private record Source(Map<String, String> attributes, byte[] content) {}

    private static Source source(final Random random, final int attributes, final int valueLength, final int length) {
        final Map<String, String> all = IntStream.range(0, attributes)
                .boxed()
                .collect(Collectors.toMap(
                        i -> "name-" + i, i -> "v".repeat(valueLength), (one, other) -> one, LinkedHashMap::new));
        final byte[] content = new byte[length];
        random.nextBytes(content);
        return new Source(all, content);
    }

    /** As {@code AbstractFlowFileServerProtocol} writes them, to the streams of {@code SocketOutput}. */
    private static Writes stock(final List<Source> sources, final boolean gzip) throws IOException {
        final Writes writes = new Writes();
        final DataOutputStream out = new DataOutputStream(new BufferedOutputStream(writes));
        ResponseCode.MORE_DATA.writeResponse(out);
        int left = sources.size();
        for (final Source source : sources) {
            final OutputStream packet = gzip ? new CompressionOutputStream(out, ChunkDeflater.CHUNK_BYTES) : out;
            new StandardFlowFileCodec()
                    .encode(
                            new StandardDataPacket(
                                    source.attributes(),
                                    new ByteArrayInputStream(source.content()),
                                    source.content().length),
                            packet);
            if (gzip) {
                packet.close();
            }
            left--;
            (left > 0 ? ResponseCode.CONTINUE_TRANSACTION : ResponseCode.FINISH_TRANSACTION).writeResponse(out);
        }
        return writes;
    }

    private static Writes ours(final List<Source> sources, final boolean gzip, final int pieceBytes)
            throws IOException {
        final HandshakeProperties handshake = new HandshakeProperties();
        handshake.setUseGzip(gzip);
        final HeldSession held = held(sources);
        final Writes writes = new Writes();
        try (PullEncoder encoder = new PullEncoder(held, handshake, UnpooledByteBufAllocator.DEFAULT, () -> 0)) {
            assertTrue(encoder.begin());
            while (!encoder.isComplete()) {
                final PullPiece piece = encoder.nextPiece(pieceBytes);
                while (piece.hasNextWrite()) {
                    final ByteBuf write = piece.nextWrite().bytes();
                    final byte[] bytes = new byte[write.readableBytes()];
                    write.readBytes(bytes);
                    write.release();
                    writes.write(bytes);
                }
                assertEquals(0, piece.readableBytes());
                piece.release();
            }
        }
        return writes;
    }

    private static HeldSession held(final List<Source> sources) {
        final Queue<FlowFile> queue = new ArrayDeque<>();
        final ProcessSession session = mock(ProcessSession.class);
        for (final Source source : sources) {
            final FlowFile flowFile = mock(FlowFile.class);
            when(flowFile.getAttributes()).thenReturn(source.attributes());
            when(flowFile.getSize()).thenReturn((long) source.content().length);
            when(session.read(flowFile)).thenReturn(new ShortReads(source.content()));
            queue.add(flowFile);
        }
        when(session.get()).thenAnswer(call -> queue.poll());
        when(session.getProvenanceReporter()).thenReturn(mock(ProvenanceReporter.class));
        final TransactionPeer peer = mock(TransactionPeer.class);
        when(peer.transitUri(any())).thenReturn("");
        when(peer.maxWriteBytes()).thenReturn(RECORD_BYTES);
        final HeldSession held = mock(HeldSession.class);
        when(held.session()).thenReturn(session);
        when(held.peer()).thenReturn(peer);
        return held;
    }

    /** A content that comes in parts, as it may from a repository. */
    private static final class ShortReads extends ByteArrayInputStream {
        private static final int MOST = 5_000;

        private ShortReads(final byte[] content) {
            super(content);
        }

        @Override
        public int read(final byte[] to, final int from, final int length) {
            return super.read(to, from, Math.min(length, MOST));
        }
    }

    private static void assertAsStock(final List<Source> sources, final boolean gzip, final int pieceBytes)
            throws IOException {
        final Writes stock = stock(sources, gzip);
        final Writes ours = ours(sources, gzip, pieceBytes);
        assertArrayEquals(stock.bytes.toByteArray(), ours.bytes.toByteArray());
        final NavigableSet<Integer> others = new TreeSet<>(ours.ends);
        others.removeAll(stock.ends);
        assertEquals(new TreeSet<>(), others, "writes that end where none of NiFi's does");
        int begin = 0;
        for (final int end : ours.ends) {
            final boolean isOne = stock.ends.higher(begin) == end;
            assertTrue(isOne || end - begin <= RECORD_BYTES, "a write of " + (end - begin) + " bytes");
            begin = end;
        }
    }

    @ParameterizedTest
    @CsvSource({
        // packets, attributes, length of each value, length of the content
        "1, 1, 10, 0",
        "1, 1, 10, 100",
        "500, 3, 40, 100",
        "3000, 8, 20, 100",
        "1, 1, 10, 8191",
        "1, 1, 10, 8192",
        "1, 1, 10, 20000",
        "4, 1, 10, 70000",
        "2, 1, 10, 1000000",
        "3, 1, 9000, 100",
        "3, 2, 100000, 100",
        "10, 500, 20, 5000",
        "10, 5, 2000, 20000"
    })
    @DisplayName(
            "each write ends where one of the stock listener's does, and fits into a record of TLS if one of its own does")
    void endAsStock(final int packets, final int attributes, final int valueLength, final int length) throws Exception {
        final Random random = new Random(length);
        final List<Source> sources = Stream.generate(() -> source(random, attributes, valueLength, length))
                .limit(packets)
                .toList();
        for (final int pieceBytes : new int[] {SMALL_PIECE, LARGE_PIECE}) {
            assertAsStock(sources, false, pieceBytes);
            assertAsStock(sources, true, pieceBytes);
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3", "4"})
    @DisplayName("so does each write of packets of any size")
    void anySize(final int seed) throws Exception {
        final Random random = new Random(seed);
        final List<Source> sources = Stream.generate(() -> source(
                        random, random.nextInt(20), random.nextInt(1_000), random.nextInt(1 << random.nextInt(18))))
                .limit(100)
                .toList();
        for (final int pieceBytes : new int[] {SMALL_PIECE, LARGE_PIECE}) {
            assertAsStock(sources, false, pieceBytes);
            assertAsStock(sources, true, pieceBytes);
        }
    }
}
