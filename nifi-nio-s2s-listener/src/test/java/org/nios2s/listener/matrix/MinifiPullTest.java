// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.apache.nifi.remote.protocol.DataPacket;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.peers.MinifiReads;
import org.nios2s.peers.TestPeer;

/**
 * Pulls as MiNiFi C++ makes them, which gives up when a read has less than it wants. Over TLS a read never has more than the rest
 * of a record. On plain TCP a read may meet the end of a segment; the sizes here stay within the first ones. Lives on the test's
 * thread.
 */
class MinifiPullTest {
    private static byte[] content(final int size) {
        final byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }

    @ParameterizedTest
    @CsvSource({
        "PLAIN_EPOLL, 100, 100",
        "PLAIN_EPOLL, 1, 20000",
        "PLAIN_NIO, 100, 100",
        "PLAIN_NIO, 1, 20000",
        "BORINGSSL_EPOLL, 500, 100",
        "BORINGSSL_EPOLL, 1, 20000",
        "BORINGSSL_EPOLL, 3, 70000",
        "BORINGSSL_EPOLL, 2, 1000000",
        "BORINGSSL_NIO, 500, 100",
        "BORINGSSL_NIO, 2, 1000000",
        "JDK_TLS_EPOLL, 500, 100",
        "JDK_TLS_EPOLL, 2, 1000000",
        "JDK_TLS_NIO, 500, 100",
        "JDK_TLS_NIO, 1, 20000",
        "JDK_TLS_NIO, 3, 70000",
        "JDK_TLS_NIO, 2, 1000000"
    })
    @DisplayName("a peer that reads each number and each 4,096 bytes of a content in one go gets them in one go")
    void pull(final Variant variant, final int packets, final int size) throws Exception {
        try (MatrixListener listener = MatrixListener.patient(variant);
                TestPeer peer = listener.connect()) {
            final byte[] content = content(size);
            for (int packet = 0; packet < packets; packet++) {
                listener.offer(content);
            }
            peer.open(MatrixListener.OUTPUT_PORT, listener.properties("BATCH_COUNT", String.valueOf(packets)));
            peer.request("RECEIVE_FLOWFILES");
            peer.expect(ResponseCode.MORE_DATA);
            peer.finishPull(readPackets(peer, packets, content));
            MatrixListener.awaiting().until(() -> listener.output().sent().size() == packets);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PLAIN_EPOLL", "PLAIN_NIO"})
    @DisplayName("a compressed chunk leaves by itself, before the next one is made")
    void compressed(final Variant variant) throws Exception {
        final byte[] content = content(50_000);
        final int packets = 20;
        final AtomicInteger begun = new AtomicInteger();
        final AtomicInteger received = new AtomicInteger();
        try (MatrixListener listener = MatrixListener.patient(variant);
                TestPeer peer = listener.connect()) {
            listener.output().beforeRead(() -> {
                final int before = begun.getAndIncrement();
                MatrixListener.awaiting().until(() -> received.get() == before);
            });
            for (int packet = 0; packet < packets; packet++) {
                listener.offer(content);
            }
            peer.open(
                    MatrixListener.OUTPUT_PORT,
                    listener.properties("GZIP", "true", "BATCH_COUNT", String.valueOf(packets)));
            peer.request("RECEIVE_FLOWFILES");
            peer.expect(ResponseCode.MORE_DATA);
            final CheckedInputStream in = new CheckedInputStream(MinifiReads.inflating(peer.in()), new CRC32());
            while (received.get() < packets) {
                assertArrayEquals(content, MinifiReads.packet(in).getData().readAllBytes());
                if (received.incrementAndGet() < packets) {
                    peer.expect(ResponseCode.CONTINUE_TRANSACTION);
                }
            }
            peer.finishPull(String.valueOf(in.getChecksum().getValue()));
            MatrixListener.awaiting().until(() -> listener.output().sent().size() == packets);
        }
    }

    private static String readPackets(final TestPeer peer, final int packets, final byte[] content) throws IOException {
        final CRC32 checksum = new CRC32();
        for (int packet = 0; packet < packets; packet++) {
            if (packet > 0) {
                peer.expect(ResponseCode.CONTINUE_TRANSACTION);
            }
            final DataPacket received = MinifiReads.packet(new CheckedInputStream(peer.in(), checksum));
            assertEquals(content.length, received.getSize());
            assertArrayEquals(content, received.getData().readAllBytes());
        }
        return String.valueOf(checksum.getValue());
    }
}
