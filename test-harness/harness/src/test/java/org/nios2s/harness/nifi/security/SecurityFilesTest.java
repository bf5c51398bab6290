// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi.security;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.CertificateExpiredException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.harness.HarnessException;

/**
 * The certificates of a secured NiFi.
 * On the test's thread, with one more for the other end of a connection.
 */
@Timeout(30)
class SecurityFilesTest {

    private static final Duration DAY = Duration.ofDays(1);

    @TempDir
    private Path directory;

    private SecurityFiles files;

    @BeforeEach
    void make() {
        files = SecurityFiles.ensure(directory.resolve("security"));
    }

    @Test
    void aStoreThatIsMissingIsNamed() throws IOException {
        Files.delete(files.keyStore(Identity.CLIENT));

        final HarnessException missing =
                assertThrows(HarnessException.class, () -> files.tls(files.keyStore(Identity.CLIENT)));

        assertTrue(missing.getMessage().contains(files.keyStore(Identity.CLIENT).toString()), missing.getMessage());
    }

    @ParameterizedTest
    @EnumSource(Identity.class)
    void everyIdentityIsNamedAsNifiFormatsIt(final Identity identity) throws Exception {
        final X509Certificate certificate = certificate(load(files.keyStore(identity)));

        assertEquals(
                identity.distinguishedName(),
                certificate.getSubjectX500Principal().toString());
        certificate.checkValidity();
    }

    @Test
    void whatIsThereIsNotMadeAnew() throws Exception {
        final byte[] before = Files.readAllBytes(files.keyStore(Identity.NODE));

        final SecurityFiles again = SecurityFiles.ensure(directory.resolve("security"));

        assertEquals(files.password(), again.password());
        assertArrayEquals(before, Files.readAllBytes(again.keyStore(Identity.NODE)));
    }

    @Test
    void onlyTheOwnerReadsThePasswordAndTheKeys() throws Exception {
        for (final Path file : new Path[] {
            files.keyStore(Identity.CLIENT), directory.resolve("security").resolve("password")
        }) {
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        }
    }

    @Test
    void aClientAndANodeTrustEachOther() throws Exception {
        assertEquals(Identity.CLIENT.distinguishedName(), peerOf(files.context(files.keyStore(Identity.CLIENT))));
    }

    /** Of the two ends only the one that refuses knows why: the other may find the connection reset. */
    @Test
    void theClientOfAnotherAuthorityRefusesTheNodeOfThisOne() throws Exception {
        final SecurityFiles others = SecurityFiles.ensure(directory.resolve("others"));
        final SSLContext stranger = others.context(others.keyStore(Identity.CLIENT));
        final SSLContext node = files.context(files.keyStore(Identity.NODE));

        try (ServerSocket server = node.getServerSocketFactory().createServerSocket(0);
                ExecutorService other = Executors.newSingleThreadExecutor()) {
            final Future<?> refused = other.submit(() -> {
                try (Socket accepted = server.accept()) {
                    return accepted.getInputStream().read();
                }
            });
            try (SSLSocket socket =
                    (SSLSocket) stranger.getSocketFactory().createSocket("localhost", server.getLocalPort())) {
                assertThrows(SSLException.class, socket::startHandshake);
            }
            assertInstanceOf(
                    IOException.class,
                    assertThrows(ExecutionException.class, refused::get).getCause());
        }
    }

    @Test
    void theAuthorityOutlivesItsFileAndIssuesExpiredCertificates() throws Exception {
        final CertificateAuthority authority =
                SecurityFiles.open(directory.resolve("security")).authority();

        final Path expired = files.save(
                "expired.p12",
                authority.issue(
                        "CN=late",
                        files.password().toCharArray(),
                        Instant.now().minus(DAY).minus(DAY),
                        Instant.now().minus(DAY)));

        final X509Certificate certificate = certificate(load(expired));
        assertThrows(CertificateExpiredException.class, certificate::checkValidity);
        certificate.verify(certificate(load(files.trustStore())).getPublicKey());
    }

    @Test
    void aHomeThatIsNotSecuredIsNamed() {
        final HarnessException failure =
                assertThrows(HarnessException.class, () -> SecurityFiles.open(directory.resolve("plain")));

        assertTrue(failure.getMessage().contains("plain"), failure.getMessage());
    }

    /** Connects to a node and returns whom the node sees. */
    private String peerOf(final SSLContext client) throws Exception {
        final SSLContext node = files.context(files.keyStore(Identity.NODE));
        try (SSLServerSocket server =
                        (SSLServerSocket) node.getServerSocketFactory().createServerSocket(0);
                ExecutorService other = Executors.newSingleThreadExecutor()) {
            server.setNeedClientAuth(true);
            final Future<?> connected = other.submit(() -> {
                try (SSLSocket socket =
                        (SSLSocket) client.getSocketFactory().createSocket("localhost", server.getLocalPort())) {
                    socket.startHandshake();
                    return socket.getInputStream().read();
                }
            });
            try (SSLSocket accepted = (SSLSocket) server.accept()) {
                accepted.startHandshake();
                accepted.getOutputStream().write(1);
                return accepted.getSession().getPeerPrincipal().toString();
            } finally {
                connected.cancel(false);
            }
        }
    }

    private KeyStore load(final Path file) throws Exception {
        final KeyStore store = KeyStore.getInstance(SecurityFiles.STORE_TYPE);
        try (InputStream stream = Files.newInputStream(file)) {
            store.load(stream, files.password().toCharArray());
        }
        return store;
    }

    private static X509Certificate certificate(final KeyStore store) throws Exception {
        return (X509Certificate) store.getCertificate(CertificateAuthority.ALIAS);
    }
}
