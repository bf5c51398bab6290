// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.listener.matrix.MatrixTls;
import org.nios2s.listener.matrix.RenewingPeer;
import org.nios2s.listener.time.NanoClock;
import org.nios2s.peers.OneGoSocket;
import org.nios2s.peers.TestPeer;

/**
 * A pull from BoringSSL pauses when its peer has used up the key with which it reads. Lives on the test's thread; a peer that renews
 * keys has a JVM of its own.
 */
@DisplayName("A peer that has used up its key")
class ReadKeyTest {
    private static final int CONTENT_BYTES = 40 << 20;
    /** Reached once in that content. */
    private static final long LIMIT_BYTES = 1 << 25;

    private static final int SMALL_CONTENT_BYTES = 1 << 20;
    private static final long SMALL_LIMIT_BYTES = 1 << 16;

    @TempDir
    private Path directory;

    private KeyStore keys;
    private SSLContext context;

    @BeforeEach
    void makeKeys() throws Exception {
        keys = MatrixTls.store("CN=nifi");
        context = MatrixTls.nifiContext(keys);
    }

    @ParameterizedTest
    @CsvSource({
        // what the peer does, and after how many bytes it renews its key
        "PULL, 33554432",
        "PULL_SLOWLY, 33554432",
        "PULL, 137438953472"
    })
    @DisplayName("renews it once in its pull, or not, as a peer that is no Java: the pull goes on")
    void goesOn(final RenewingPeer.Action action, final long limitOfPeer) throws Exception {
        try (SteppedListener listener = new SteppedListener(
                NanoClock.SYSTEM, context, LIMIT_BYTES, "tls.provider", "openssl", "transport", "epoll")) {
            listener.output().queue(Map.of("name", "value"), new byte[CONTENT_BYTES]);
            final RenewingPeer peer =
                    new RenewingPeer(directory, keys, listener.address().getPort(), limitOfPeer);
            assertEquals("", peer.run(action, CONTENT_BYTES));
            listener.assertNoFault();
        }
    }

    @Test
    @DisplayName("is not silent while the listener waits for the next one, though another peer waits for the permit")
    void isNotSilent() throws Exception {
        final AtomicLong clock = new AtomicLong(System.nanoTime());
        try (SteppedListener listener = new SteppedListener(
                        clock::get, context, SMALL_LIMIT_BYTES, "tls.provider", "openssl", "pulls.in.order", "true");
                TestPeer peer = connect(listener);
                TestPeer other = connect(listener)) {
            listener.output().queue(Map.of(), new byte[SMALL_CONTENT_BYTES]);
            listener.output().queue(Map.of(), new byte[1]);
            peer.request("RECEIVE_FLOWFILES").expect(ResponseCode.MORE_DATA);
            peer.in().skipNBytes(SMALL_LIMIT_BYTES);
            other.request("RECEIVE_FLOWFILES").flush();
            listener.awaitAnyStep("AwaitFlowFilesStep");
            listener.passTime(clock, Duration.ofSeconds(4));
            assertEquals("SendStep", listener.step(0));
            listener.assertNoFault();
        }
    }

    private TestPeer connect(final SteppedListener listener) throws Exception {
        return TestPeer.gathering(OneGoSocket.connect(listener.address()).secured(context))
                .open(SteppedListener.OUTPUT_PORT, "BATCH_COUNT", "1");
    }
}
