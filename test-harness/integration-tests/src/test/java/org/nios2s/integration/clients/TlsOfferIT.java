// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;
import org.nios2s.integration.Peers;
import org.nios2s.integration.SharedNifi;
import org.nios2s.peers.TestPeer;

/**
 * What our listener offers to TLS clients, protocols, cipher suites and groups, is what the HTTPS of the NiFi around it
 * offers; with an RSA key, to which the weak suites are open.
 * The tests run one after the other on one thread.
 */
@ResourceLock(SharedNifi.Lock.NIO_SECURED)
@ResourceLock(SharedNifi.Lock.NIO_SECURED_JDK)
class TlsOfferIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** What BoringSSL does not have: suites of finite fields, with CBC and SHA-2, and groups but the four it knows. */
    private static final Pattern NOT_IN_BORINGSSL =
            Pattern.compile(".* suite (009e|009f|ccaa|0067|006b|c027|c028|c023|c024)|.* group (001e|01[0-9a-f]{2})");

    /** Suites that no NiFi should have on offer: keys sent by RSA, SHA-1, MD5, nothing, RC4, 3DES. */
    private static final Pattern WEAK =
            Pattern.compile("TLS 1\\.[01].*|.* suite (00[0-3][0-9a-f]|009[cd]|c00[0-9a-f]|c01[0-9a-f])");

    private NifiNode nifi;

    @ParameterizedTest
    @EnumSource(
            value = SharedNifi.class,
            names = {"NIO_SECURED", "NIO_SECURED_JDK"})
    void theRawPortOffersWhatHttpsOffers(final SharedNifi serving) throws Exception {
        nifi = serving.get();
        final NifiNodeInfo instance = nifi.info();
        final URI https = URI.create(instance.api());
        try {
            final CertificateBuilder rsa = new CertificateBuilder()
                    .rsa2048()
                    .setKeyUsage(true, KeyUsage.digitalSignature, KeyUsage.keyEncipherment);
            serveWith(security().authority().issue(rsa, nodeName(), password()), "RSA");

            final SortedSet<String> offered = new TlsScan(instance.s2sHost(), instance.s2sPort(), true).everything();
            final SortedSet<String> next = new TlsScan(instance.s2sHost(), instance.s2sPort(), false).everything();
            final SortedSet<String> expected = new TlsScan(https.getHost(), https.getPort(), false).everything();

            assertTrue(expected.containsAll(Set.of("TLS 1.2", "TLS 1.3")), expected::toString);
            // Behind a first connection that came to nothing the JDK serves.
            assertEquals(String.join("\n", expected), String.join("\n", next));
            if (serving.hasBoringSsl()) {
                expected.removeIf(word -> NOT_IN_BORINGSSL.matcher(word).matches());
            }
            assertEquals(String.join("\n", expected), String.join("\n", offered));
            final SortedSet<String> weak = new TreeSet<>(offered);
            weak.removeIf(word -> !WEAK.matcher(word).matches());
            assertEquals(Set.of(), weak);
        } finally {
            serveWith(security().authority().issue(nodeName(), password()), "EC");
        }
    }

    private SecurityFiles security() {
        return nifi.security();
    }

    private char[] password() {
        return security().password().toCharArray();
    }

    private static String nodeName() {
        return Identity.NODE.distinguishedName();
    }

    /** Replaces NiFi's key, and waits until NiFi, which looks for that every second, shows it on both ports. */
    private void serveWith(final KeyStore replacement, final String algorithm) throws IOException {
        Files.move(
                security().save("replacement.p12", replacement),
                security().keyStore(Identity.NODE),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.ATOMIC_MOVE);
        final TlsClients clients = new TlsClients(security());
        Awaitility.await().atMost(PATIENCE).until(() -> {
            try (TestPeer peer = Peers.connectFromSuspectAddress(clients.authorized(), nifi.info(), "TLSv1.3")) {
                return ((X509Certificate) peer.tlsSession().getPeerCertificates()[0])
                        .getPublicKey()
                        .getAlgorithm()
                        .equals(algorithm);
            }
        });
    }
}
