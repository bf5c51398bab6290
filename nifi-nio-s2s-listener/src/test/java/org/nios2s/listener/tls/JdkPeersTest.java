// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.channels.ClosedChannelException;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.cert.CertPath;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who is served by the JDK, after what. Lives on the test's thread. */
class JdkPeersTest {
    private static final SSLException REFUSED =
            new SSLException("error:100000c0:SSL routines:OPENSSL_internal:PEER_DID_NOT_RETURN_A_CERTIFICATE");
    private static final SSLException RENEWED =
            new SSLException("error:10000104:SSL routines:OPENSSL_internal:TOO_MANY_KEY_UPDATES");

    private final AtomicLong nanos = new AtomicLong();
    private final JdkPeers peers = new JdkPeers(nanos::get);

    private static InetAddress address(final int number) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, (byte) (number >> 8), (byte) number});
    }

    private static PublicKey key(final String algorithm, final int bits) throws Exception {
        final KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        generator.initialize(bits);
        return generator.generateKeyPair().getPublic();
    }

    @Test
    @DisplayName("a peer that was refused for what it lacks, for ten minutes, and no other peer")
    void refused() throws Exception {
        assertTrue(peers.handshakeFailed(address(1), REFUSED));
        assertTrue(peers.contains(address(1)));
        assertFalse(peers.contains(address(2)));
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
        assertFalse(peers.contains(address(1)));
    }

    @Test
    @DisplayName("a peer that was refused for the signature of its certificate, but not for another fault of it")
    void signatures() throws Exception {
        final CertPath path = CertificateFactory.getInstance("X.509").generateCertPath(List.of());
        assertFalse(peers.handshakeFailed(
                address(1), wrapped(new CertPathValidatorException("old", null, path, -1, BasicReason.EXPIRED))));
        assertFalse(peers.contains(address(1)));
        assertTrue(peers.handshakeFailed(
                address(1),
                wrapped(new CertPathValidatorException("new", null, path, -1, BasicReason.ALGORITHM_CONSTRAINED))));
        assertTrue(peers.contains(address(1)));
    }

    private static SSLException wrapped(final CertPathValidatorException failure) {
        return new SSLException("General OpenSslEngine problem", new CertificateException(failure));
    }

    @Test
    @DisplayName("a trusted peer that was refused before, however seldom it comes")
    void trusted() throws Exception {
        peers.handshakeFailed(address(1), REFUSED);
        peers.accepted(address(1), key("EC", 256));
        peers.accepted(address(2), key("EC", 256));
        nanos.addAndGet(TimeUnit.DAYS.toNanos(30));
        assertTrue(peers.contains(address(1)));
        assertFalse(peers.contains(address(2)));
    }

    @Test
    @DisplayName("a peer that closes in the handshake twice in a row, but not one that closes later")
    void closed() throws Exception {
        assertFalse(peers.failedBehindHandshake(address(1), REFUSED));
        assertFalse(peers.contains(address(1)));
        assertFalse(peers.handshakeFailed(address(1), new ClosedChannelException()));
        assertFalse(peers.contains(address(1)));
        assertTrue(peers.handshakeFailed(address(1), new ClosedChannelException()));
        assertTrue(peers.contains(address(1)));
        assertFalse(peers.contains(address(2)));
    }

    @Test
    @DisplayName("no peer that closes in a handshake now and then")
    void closedNowAndThen() throws Exception {
        assertFalse(peers.handshakeFailed(address(1), new ClosedChannelException()));
        peers.handshakeSucceeded(address(1));
        assertFalse(peers.handshakeFailed(address(1), new ClosedChannelException()));
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
        assertFalse(peers.handshakeFailed(address(1), new ClosedChannelException()));
        assertFalse(peers.contains(address(1)));
        assertTrue(peers.handshakeFailed(address(1), REFUSED));
        peers.handshakeSucceeded(address(1));
        assertTrue(peers.contains(address(1)));
    }

    @Test
    @DisplayName("a peer that renews its keys, as long as it is not forgotten, whatever else it does")
    void renewed() throws Exception {
        assertTrue(peers.failedBehindHandshake(address(1), RENEWED));
        assertTrue(peers.handshakeFailed(address(1), REFUSED));
        nanos.addAndGet(TimeUnit.DAYS.toNanos(30));
        assertTrue(peers.contains(address(1)));
    }

    @ParameterizedTest
    @CsvSource({
        "error:1000009c:SSL routines:OPENSSL_internal:HTTP_REQUEST",
        "error:10000412:SSL routines:OPENSSL_internal:SSLV3_ALERT_BAD_CERTIFICATE",
        "General OpenSslEngine problem",
        "Connection closed while SSL/TLS handshake was in progress"
    })
    @DisplayName("nobody for a failure that the JDK would have had, too")
    void others(final String failure) throws Exception {
        assertFalse(peers.handshakeFailed(address(1), new SSLException(failure)));
        assertFalse(peers.contains(address(1)));
    }

    @Test
    @DisplayName("strangers push out each other, the oldest first")
    void bounded() throws Exception {
        final int strangers = 5_000;
        for (int stranger = 0; stranger < strangers; stranger++) {
            peers.handshakeFailed(address(stranger), REFUSED);
        }
        int served = 0;
        for (int stranger = 0; stranger < strangers; stranger++) {
            served += peers.contains(address(stranger)) ? 1 : 0;
        }
        assertEquals(4_096, served);
        assertFalse(peers.contains(address(0)));
    }

    @ParameterizedTest
    @CsvSource({"EC, 521, true", "Ed25519, 255, true", "EC, 256, false", "EC, 384, false", "RSA, 2048, false"})
    @DisplayName("everybody, once a trusted peer has a certificate with a key that BoringSSL refuses")
    void everybody(final String algorithm, final int bits, final boolean all) throws Exception {
        peers.accepted(address(2), key(algorithm, bits));
        assertEquals(all, peers.contains(address(1)));
    }
}
