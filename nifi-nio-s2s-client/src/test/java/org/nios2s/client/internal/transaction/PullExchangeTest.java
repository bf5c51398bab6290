// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.transaction;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.nifi.remote.codec.StandardFlowFileCodec;
import org.apache.nifi.remote.io.CompressionOutputStream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.apache.nifi.remote.util.StandardDataPacket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nios2s.client.FailureReason;
import org.nios2s.client.ReceivedPacket;
import org.nios2s.client.internal.connection.ClientConnection;
import org.nios2s.client.internal.connection.Endpoint;

/** What a peer says in a pull is understood however its bytes arrive. */
class PullExchangeTest {
    private static final int RANDOM_SPLITS = 20;
    private static final int LONGEST_PIECE = 3_000;
    private static final List<Integer> SIZES = List.of(0, 1, 100, 20_000, 70_000);

    static Stream<Arguments> splits() {
        final List<Arguments> splits = new ArrayList<>();
        for (final boolean compress : new boolean[] {false, true}) {
            for (int seed = 0; seed < RANDOM_SPLITS; seed++) {
                splits.add(Arguments.of(compress, seed, LONGEST_PIECE));
            }
            splits.add(Arguments.of(compress, 0, 1));
            splits.add(Arguments.of(compress, 0, Integer.MAX_VALUE));
        }
        return splits.stream();
    }

    private static byte[] content(final int size) {
        final byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }

    private static byte[] exchange(final boolean compress) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        ResponseCode.MORE_DATA.writeResponse(out);
        for (int i = 0; i < SIZES.size(); i++) {
            if (i > 0) {
                ResponseCode.CONTINUE_TRANSACTION.writeResponse(out);
            }
            final byte[] content = content(SIZES.get(i));
            final OutputStream packet = compress ? new CompressionOutputStream(bytes) : bytes;
            new StandardFlowFileCodec()
                    .encode(
                            new StandardDataPacket(
                                    Map.of("size", "" + content.length, "long", "v".repeat(20_000)),
                                    new ByteArrayInputStream(content),
                                    content.length),
                            packet);
            packet.close();
        }
        ResponseCode.FINISH_TRANSACTION.writeResponse(out);
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @MethodSource("splits")
    void everyPacketIsReadHoweverItArrives(final boolean compress, final int seed, final int longest)
            throws IOException {
        final EmbeddedChannel channel = new EmbeddedChannel();
        final Endpoint port = Endpoint.of("host", 1, "id").withCompress(compress);
        final ClientConnection connection = new ClientConnection(port, null, channel, null, closed -> {});
        channel.pipeline().addLast(connection);
        final PullExchange pull = new PullExchange(connection, failure -> {
            throw new IllegalStateException(failure);
        });
        pull.begin();
        final byte[] bytes = exchange(compress);
        final Random random = new Random(seed);
        int from = 0;
        while (from < bytes.length) {
            final int most = Math.min(longest, bytes.length - from);
            final int length = longest == LONGEST_PIECE ? 1 + random.nextInt(most) : most;
            channel.writeInbound(Unpooled.copiedBuffer(bytes, from, length));
            from += length;
        }
        for (final int size : SIZES) {
            final ReceivedPacket packet = pull.queue().next();
            assertEquals("" + size, packet.attributes().get("size"));
            assertArrayEquals(content(size), packet.content().readAllBytes());
        }
        assertNull(pull.queue().next());
        assertEquals(SIZES.size(), pull.packets());
        channel.finishAndReleaseAll();
    }

    @Test
    void aCompressedPacketThatEndsInItsMiddleFails() throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        ResponseCode.MORE_DATA.writeResponse(out);
        try (OutputStream packet = new CompressionOutputStream(bytes)) {
            packet.write(new byte[] {0, 0, 0});
        }
        final EmbeddedChannel channel = new EmbeddedChannel();
        final ClientConnection connection = new ClientConnection(
                Endpoint.of("host", 1, "id").withCompress(true), null, channel, null, closed -> {});
        channel.pipeline().addLast(connection);
        final List<FailureReason> reasons = new ArrayList<>();
        final PullExchange pull = new PullExchange(connection, failure -> reasons.add(failure.reason()));
        pull.begin();
        channel.writeInbound(Unpooled.wrappedBuffer(bytes.toByteArray()));
        assertEquals(List.of(FailureReason.PROTOCOL_VIOLATION), reasons);
        channel.finishAndReleaseAll();
    }
}
