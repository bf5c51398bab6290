// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nios2s.listener.matrix.MatrixTls;
import org.nios2s.listener.matrix.RenewingPeer;
import org.nios2s.listener.time.NanoClock;

/**
 * A pull from BoringSSL pauses when its peer has used up the key with which it reads. Lives on the test's thread; a peer that renews
 * keys has a JVM of its own.
 */
@DisplayName("A peer that has used up its key")
class ReadKeyTest {
    private static final int CONTENT_BYTES = 40 << 20;
    /** Reached once in that content. */
    private static final long LIMIT_BYTES = 1 << 25;

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
}
