// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.each;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.nifi.remote.io.CompressionOutputStream;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.ScriptedServer.Moment;
import org.nios2s.client.internal.connection.CallOptions;
import org.nios2s.client.internal.connection.ClientConnection;
import org.nios2s.client.internal.connection.Endpoint;
import org.nios2s.client.internal.transaction.Engine;
import org.nios2s.client.internal.transaction.PullExchange;

/** A receiver that does not read makes the peer wait, and costs no memory meanwhile. */
class PullBackPressureTest {
    private static final int CONTENT_BYTES = 64 << 20;
    private static final int PIECE_BYTES = 65_536;
    /** What the sockets of both ends and the client may hold together; loopback's buffers grow to some MiB each. */
    private static final int MOST_ON_THE_WAY_BYTES = 24 << 20;

    @Test
    void aPeerIsStoppedWhileTheReceiverDoesNotRead() throws Exception {
        final AtomicLong written = new AtomicLong();
        final CountDownLatch called = new CountDownLatch(1);
        final CountDownLatch hold = new CountDownLatch(1);
        try (ScriptedServer server = new ScriptedServer();
                Engine engine = new Engine()) {
            server.at(Moment.FIRST_PACKET, wire -> {
                wire.say(ResponseCode.MORE_DATA);
                wire.out.writeInt(0);
                wire.out.writeLong(CONTENT_BYTES);
                for (int i = 0; i < CONTENT_BYTES / PIECE_BYTES; i++) {
                    wire.out.write(new byte[PIECE_BYTES]);
                    wire.out.flush();
                    written.addAndGet(PIECE_BYTES);
                }
                return server.stall().happen(wire);
            });
            final AtomicLong read = new AtomicLong();
            final CompletableFuture<TransactionResult> pull = engine.pull(
                    server.remotePort(),
                    each(packet -> {
                        called.countDown();
                        hold.await();
                        read.set(packet.content().readAllBytes().length);
                    }),
                    CallOptions.UNWATCHED);
            called.await();
            awaitStandstill(written);
            assertTrue(written.get() < MOST_ON_THE_WAY_BYTES, written + " bytes left a peer that nobody reads");
            hold.countDown();
            await().until(() -> read.get() == CONTENT_BYTES);
            pull.cancel(false);
        }
    }

    private static void awaitStandstill(final AtomicLong written) {
        final AtomicLong before = new AtomicLong(-1);
        await().pollInterval(Duration.ofMillis(500)).until(() -> before.getAndSet(written.get()) == written.get());
    }

    private static EmbeddedChannel channel(final PullExchange[] pull, final boolean compress) {
        final EmbeddedChannel channel = new EmbeddedChannel();
        final Endpoint port = Endpoint.of("host", 1, "id").withCompress(compress);
        final ClientConnection connection = new ClientConnection(port, null, channel, null, closed -> {});
        channel.pipeline().addLast(connection);
        pull[0] = new PullExchange(connection, failure -> {
            throw new IllegalStateException(failure);
        });
        pull[0].begin();
        return channel;
    }

    private static ByteBuf said(final byte[] packet) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ResponseCode.MORE_DATA.writeResponse(new DataOutputStream(bytes));
        bytes.write(packet);
        return Unpooled.wrappedBuffer(bytes.toByteArray());
    }

    /** 16 MiB of zeros are 16 KiB on the wire, and arrive with one read. */
    @Test
    void inflationStopsWhereTheReceiverIs() throws Exception {
        final ByteArrayOutputStream deflated = new ByteArrayOutputStream();
        final int size = 16 << 20;
        final OutputStream packet = new CompressionOutputStream(deflated, size);
        final DataOutputStream plain = new DataOutputStream(packet);
        plain.writeInt(0);
        plain.writeLong(size);
        plain.write(new byte[size]);
        packet.close();
        final PullExchange[] pull = new PullExchange[1];
        final EmbeddedChannel channel = channel(pull, true);
        channel.writeInbound(said(deflated.toByteArray()));
        assertTrue(pull[0].queue().isFull());
        assertTrue(
                pull[0].queue().heldBytes() < 4 * PIECE_BYTES,
                pull[0].queue().heldBytes() + " bytes wait for the receiver");
        final ReceivedPacket received = pull[0].queue().next();
        long read = 0;
        final byte[] piece = new byte[PIECE_BYTES];
        for (int length = received.content().read(piece);
                length >= 0;
                length = received.content().read(piece)) {
            read += length;
            channel.runPendingTasks();
        }
        assertEquals(size, read);
        channel.finishAndReleaseAll();
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 50_000})
    void packetsOfNothingButAttributesFillThePipeToo(final int valueBytes) throws Exception {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(bytes);
        final int packets = 4_000_000 / (valueBytes + 100);
        for (int i = 0; i < packets; i++) {
            out.writeInt(1);
            out.writeInt(1);
            out.writeBytes("n");
            out.writeInt(valueBytes);
            out.write(new byte[valueBytes]);
            out.writeLong(0);
            ResponseCode.CONTINUE_TRANSACTION.writeResponse(out);
        }
        final PullExchange[] pull = new PullExchange[1];
        final EmbeddedChannel channel = channel(pull, false);
        channel.writeInbound(said(bytes.toByteArray()));
        assertTrue(pull[0].queue().isFull());
        assertTrue(
                pull[0].packets() < packets / 2,
                pull[0].packets() + " packets of " + packets + " wait for the receiver");
        channel.finishAndReleaseAll();
    }
}
