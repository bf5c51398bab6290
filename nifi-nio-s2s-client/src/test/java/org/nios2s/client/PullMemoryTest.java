// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.each;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.ScriptedServer.Moment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What receivers that stand still cost, and that they receive everything afterwards, with the builder's own time-outs. The
 * peer is in the same JVM, and what it takes counts too.
 *
 * <p>{@code -Dpull.mebibytes=1024 -Dpull.seconds=60} receives so much after so long; standard is little and at once.
 */
class PullMemoryTest {
    private static final Logger logger = LoggerFactory.getLogger(PullMemoryTest.class);

    private static final long CONTENT_BYTES = Long.getLong("pull.mebibytes", 32L) << 20;
    private static final Duration STANDSTILL = Duration.ofSeconds(Long.getLong("pull.seconds", 1L));
    private static final Duration PATIENCE = Duration.ofMinutes(9);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
    private static final int PIECE_BYTES = 65_536;
    private static final long MEBIBYTE = 1 << 20;
    private static final long MOST_BYTES = 64 * MEBIBYTE;

    /** @return heap in use after a collection, and direct memory of the whole JVM */
    private static long memory() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() + direct();
    }

    private static long direct() {
        final long buffers = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return buffers
                + ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT)
                        .metric()
                        .usedDirectMemory();
    }

    private static boolean give(final ScriptedServer.Wire wire, final AtomicLong written) throws IOException {
        wire.say(ResponseCode.MORE_DATA);
        wire.out.writeInt(0);
        wire.out.writeLong(CONTENT_BYTES);
        final byte[] piece = new byte[PIECE_BYTES];
        for (long left = CONTENT_BYTES; left > 0; left -= PIECE_BYTES) {
            wire.out.write(piece);
            written.addAndGet(PIECE_BYTES);
        }
        wire.say(ResponseCode.FINISH_TRANSACTION);
        Response.read(wire.in);
        wire.say(ResponseCode.CONFIRM_TRANSACTION, "");
        Response.read(wire.in);
        return true;
    }

    private static long readAll(final InputStream content) throws IOException {
        final byte[] piece = new byte[PIECE_BYTES];
        long bytes = 0;
        for (int read = content.read(piece); read >= 0; read = content.read(piece)) {
            bytes += read;
        }
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void receiversThatStandStillCostLittle(final int receivers) throws Exception {
        final AtomicLong written = new AtomicLong();
        final AtomicLong read = new AtomicLong();
        final AtomicLong highest = new AtomicLong();
        final CountDownLatch called = new CountDownLatch(receivers);
        final CountDownLatch hold = new CountDownLatch(1);
        try (ScriptedServer server = new ScriptedServer();
                SiteToSite nifi = NioSiteToSite.builder()
                        .address("127.0.0.1", server.port())
                        .retry(RetryPolicy.never())
                        .build()) {
            server.at(Moment.FIRST_PACKET, wire -> give(wire, written));
            final long before = memory();
            final List<CompletableFuture<TransactionResult>> pulls = new ArrayList<>();
            for (int i = 0; i < receivers; i++) {
                pulls.add(nifi.outputPort("out").pull(each(packet -> {
                    called.countDown();
                    hold.await();
                    read.addAndGet(readAll(packet.content()));
                })));
            }
            assertTrue(called.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
            final long began = System.nanoTime();
            final AtomicLong writtenBefore = new AtomicLong(-1);
            await().pollInterval(BETWEEN_LOOKS).atMost(PATIENCE).until(() -> {
                highest.accumulateAndGet(memory() - before, Math::max);
                final boolean still = writtenBefore.getAndSet(written.get()) == written.get();
                return still && System.nanoTime() - began >= STANDSTILL.toNanos();
            });
            final long standing = highest.get();
            final long onTheWay = written.get();
            hold.countDown();
            await().pollInterval(BETWEEN_LOOKS).atMost(PATIENCE).until(() -> {
                highest.accumulateAndGet(memory() - before, Math::max);
                return pulls.stream().allMatch(CompletableFuture::isDone);
            });
            for (final CompletableFuture<TransactionResult> pull : pulls) {
                assertEquals(CONTENT_BYTES, Outcomes.await(pull).bytes());
            }
            assertEquals(receivers * CONTENT_BYTES, read.get());
            logger.info(
                    "{} receivers that stood still for {}: {} MiB beyond the start while {} MiB of {} had left the peers; {} MiB"
                            + " at most until all was read",
                    receivers,
                    STANDSTILL,
                    standing / (double) MEBIBYTE,
                    onTheWay / MEBIBYTE,
                    receivers * CONTENT_BYTES / MEBIBYTE,
                    highest.get() / (double) MEBIBYTE);
            assertTrue(highest.get() <= MOST_BYTES + receivers * MEBIBYTE, highest + " bytes beyond the start");
        }
    }
}
