// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.wan;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.load.TargetAddress;
import org.nios2s.harness.load.Wan;

/** Connections over the proxy that stands for a WAN, on loopback. Runs on the test's thread, servers on virtual ones. */
@Timeout(120)
class WanProxyTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration DELAY = Duration.ofMillis(30);
    private static final Wan FAR = new Wan(DELAY, Duration.ZERO, 0);
    /** The kernel keeps no more for a server that does not read. */
    private static final int RECEIVE_BYTES = 64 << 10;
    /** More than the window and what the kernel keeps for the other sockets. */
    private static final int TOO_MUCH = 64 << 20;

    private final Queue<Long> lateNanos = new ConcurrentLinkedQueue<>();
    private ServerSocket listening;
    private WanProxy proxy;

    @BeforeEach
    void listen() throws IOException {
        listening = new ServerSocket();
        listening.setReceiveBufferSize(RECEIVE_BYTES);
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws IOException {
        if (proxy != null) {
            proxy.close();
        }
        listening.close();
    }

    /** What the server does with its only connection. */
    @FunctionalInterface
    private interface Service {
        void serve(Socket socket) throws IOException;
    }

    private CompletableFuture<Void> serve(final Service service) {
        final CompletableFuture<Void> served = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (Socket socket = listening.accept()) {
                service.serve(socket);
                served.complete(null);
            } catch (final IOException | RuntimeException e) {
                served.completeExceptionally(e);
            }
        });
        return served;
    }

    private Socket connect(final Wan wan) throws IOException {
        proxy = new WanProxy(wan, 1, true, lateNanos::add);
        final TargetAddress entrance = proxy.entrance(
                new TargetAddress(listening.getInetAddress().getHostAddress(), listening.getLocalPort(), "port", null));
        final Socket socket = new Socket(entrance.host(), entrance.port());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(Math.toIntExact(PATIENCE.toMillis()));
        return socket;
    }

    private static void echo(final Socket socket) throws IOException {
        final InputStream in = socket.getInputStream();
        for (int read = in.read(); read >= 0; read = in.read()) {
            socket.getOutputStream().write(read);
        }
    }

    private static void join(final CompletableFuture<Void> served) throws Exception {
        served.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void connectingTakesARoundTripAndEveryAnswerOneMore() throws Exception {
        final CompletableFuture<Void> served = serve(WanProxyTest::echo);
        final long begunNanos = System.nanoTime();
        try (Socket socket = connect(FAR)) {
            for (int answers = 1; answers <= 3; answers++) {
                socket.getOutputStream().write(answers);
                assertEquals(answers, socket.getInputStream().read());
                final long tookNanos = System.nanoTime() - begunNanos;
                final long leastNanos = FAR.roundTrip().toNanos() * (answers + 1);
                assertTrue(tookNanos >= leastNanos, tookNanos + " ns, at least " + leastNanos);
            }
            socket.shutdownOutput();
            assertEquals(-1, socket.getInputStream().read());
        }
        join(served);
        assertTrue(lateNanos.size() >= 6, "each segment tells how late it was passed on");
        assertTrue(lateNanos.stream().allMatch(late -> late >= 0));
    }

    @Test
    void aServerThatSpeaksFirstIsHeardAfterARoundTrip() throws Exception {
        final long begunNanos = System.nanoTime();
        final CompletableFuture<Void> served =
                serve(socket -> socket.getOutputStream().write(7));
        try (Socket socket = connect(FAR)) {
            assertEquals(7, socket.getInputStream().read());
            assertTrue(System.nanoTime() - begunNanos >= FAR.roundTrip().toNanos());
        }
        join(served);
    }

    @Test
    void bytesArriveUnchangedAndInOrderHoweverTheyAreHeldUp() throws Exception {
        final byte[] sent = new byte[1 << 20];
        new Random(1).nextBytes(sent);
        final CompletableFuture<Void> served = serve(socket -> {
            final byte[] received = socket.getInputStream().readAllBytes();
            socket.getOutputStream().write(received);
        });
        try (Socket socket = connect(new Wan(Duration.ofMillis(3), Duration.ofMillis(7), 2))) {
            final OutputStream out = socket.getOutputStream();
            // Pieces of all sizes around that of a segment.
            for (int begin = 0, length = 1;
                    begin < sent.length;
                    begin += length, length = 1 + (begin + length) % 9_973) {
                length = Math.min(length, sent.length - begin);
                out.write(sent, begin, length);
            }
            socket.shutdownOutput();
            assertArrayEquals(sent, socket.getInputStream().readAllBytes());
        }
        join(served);
    }

    @Test
    void onePeerMayEndBeforeTheOther() throws Exception {
        final CompletableFuture<Void> served = serve(socket -> {
            socket.shutdownOutput();
            assertEquals(5, socket.getInputStream().readAllBytes().length);
        });
        try (Socket socket = connect(FAR)) {
            assertEquals(-1, socket.getInputStream().read());
            socket.getOutputStream().write(new byte[5]);
            socket.shutdownOutput();
            join(served);
        }
    }

    @Test
    void aResetOfTheServerReachesTheClientBehindItsLastBytes() throws Exception {
        final CompletableFuture<Void> served = serve(socket -> {
            socket.getOutputStream().write(7);
            assertEquals(1, socket.getInputStream().read());
            socket.setSoLinger(true, 0);
        });
        try (Socket socket = connect(FAR)) {
            final InputStream in = socket.getInputStream();
            assertEquals(7, in.read());
            socket.getOutputStream().write(1);
            assertThrows(SocketException.class, in::read);
        }
        join(served);
    }

    @Test
    void aResetOfTheClientReachesTheServer() throws Exception {
        final CompletableFuture<Void> served = serve(socket -> {
            assertEquals(1, socket.getInputStream().read());
            socket.getOutputStream().write(2);
            assertThrows(SocketException.class, () -> socket.getInputStream().read());
        });
        try (Socket socket = connect(FAR)) {
            socket.getOutputStream().write(1);
            assertEquals(2, socket.getInputStream().read());
            socket.setSoLinger(true, 0);
        }
        join(served);
    }

    @Test
    void whereNobodyListensTheConnectionIsReset() throws Exception {
        listening.close();
        try (Socket socket = connect(FAR)) {
            assertThrows(SocketException.class, () -> socket.getInputStream().read());
        }
    }

    @Test
    void aServerThatDoesNotReadStopsTheClient() throws Exception {
        final CompletableFuture<Void> reads = new CompletableFuture<>();
        final AtomicLong received = new AtomicLong();
        final CompletableFuture<Void> served = serve(socket -> {
            reads.join();
            final byte[] buffer = new byte[1 << 20];
            final InputStream in = socket.getInputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                received.addAndGet(read);
            }
        });
        try (Socket socket = connect(new Wan(Duration.ofMillis(1), Duration.ZERO, 0))) {
            final AtomicLong sent = new AtomicLong();
            final CompletableFuture<Void> sends = CompletableFuture.runAsync(() -> {
                try {
                    for (final byte[] piece = new byte[64 << 10]; sent.get() < TOO_MUCH; sent.addAndGet(piece.length)) {
                        socket.getOutputStream().write(piece);
                    }
                    socket.shutdownOutput();
                } catch (final IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            final AtomicLong before = new AtomicLong(-1);
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(500))
                    .until(() -> before.getAndSet(sent.get()) == sent.get());
            assertTrue(sent.get() < TOO_MUCH, () -> "the proxy took all " + sent.get() + " bytes");

            reads.complete(null);
            join(sends);
            join(served);
            assertEquals(TOO_MUCH, received.get());
        }
    }

    @Test
    void portsOfOneSocketShareAnEntrance() {
        proxy = new WanProxy(FAR, 1, true, lateNanos::add);
        final TargetAddress one =
                new TargetAddress(listening.getInetAddress().getHostAddress(), listening.getLocalPort(), "one", null);
        final TargetAddress entrance = proxy.entrance(one);

        assertEquals("one", entrance.portId());
        assertEquals(entrance.behind("other"), proxy.entrance(one.behind("other")));
        assertTrue(entrance.port() != one.port());
    }
}
