// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.matrix;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nios2s.listener.matrix.MatrixTls.Authority;
import org.nios2s.peers.Message;

/**
 * Keys of every kind that Java's TLS takes, at every place where a key may be: a peer that the sockets of NiFi's own listener serve
 * is served here, too, whatever does the arithmetic. Lives on the test's thread.
 */
class KeyKindsTest {
    private static final int RESOURCE_OK = 20;
    private static final int INTERMEDIATES = 9;

    /** Connections that show that a peer needs the JDK: two if the first one is lost before its alert is read. */
    private static final int MOST_REFUSED = 2;

    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    /** What has a key of the kind; the others have one that everything takes. */
    private enum Role {
        PEER,
        NIFI,
        AUTHORITY,
        /** It certifies the peer, and NiFi does not know it. */
        INTERMEDIATE;

        KeyKind kind(final Role asked, final KeyKind kind) {
            return this == asked ? kind : KeyKind.P256;
        }

        /** Whether NiFi's own certificates show the kind before a peer comes. */
        boolean isKnownToNifi() {
            return this == NIFI || this == AUTHORITY;
        }
    }

    @TempDir
    private Path directory;

    private record Keys(KeyStore nifi, KeyStore peer) {}

    private static Keys keys(final KeyKind kind, final Role role) throws Exception {
        final Authority authority = new Authority(role.kind(Role.AUTHORITY, kind), "CN=authority");
        final Authority ofPeer =
                role == Role.INTERMEDIATE ? new Authority(authority, kind, "CN=intermediate") : authority;
        return new Keys(
                authority.issue(role.kind(Role.NIFI, kind), "CN=127.0.0.1"),
                ofPeer.issue(role.kind(Role.PEER, kind), "CN=peer"));
    }

    /** Tries to be served at a port. */
    private interface Attempt {
        boolean isServed(int port, String protocol) throws Exception;
    }

    private static Attempt java(final Keys keys) throws Exception {
        return java(MatrixTls.context(keys.peer));
    }

    private static Attempt java(final SSLContext context) {
        return (port, protocol) -> {
            try (SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
                socket.setEnabledProtocols(new String[] {protocol});
                socket.getOutputStream().write(Message.all(Message.magic(), Message.protocol(Message.NEWEST_VERSION)));
                return socket.getInputStream().read() >= 0;
            } catch (final IOException e) {
                return false;
            }
        };
    }

    private Attempt openSsl(final Keys keys) {
        return (port, protocol) -> OpenSslPeer.isServed(directory, keys.peer, port, protocol);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a peer whose TLS is Java's")
    void javaPeer(final KeyKind kind) throws Exception {
        for (final Role role : Role.values()) {
            final Keys keys = keys(kind, role);
            check(kind, role, keys, java(keys));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a peer whose TLS is Java's, and which heeds what signatures it is asked for")
    void strictJavaPeer(final KeyKind kind) throws Exception {
        for (final Role role : List.of(Role.PEER, Role.INTERMEDIATE)) {
            final Keys keys = keys(kind, role);
            check(kind, role, keys, java(MatrixTls.strictContext(keys.peer)));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a peer whose TLS is OpenSSL's")
    void openSslPeer(final KeyKind kind) throws Exception {
        assumeTrue(OpenSslPeer.isThere(), "There is no command openssl");
        for (final Role role : Role.values()) {
            final Keys keys = keys(kind, role);
            check(kind, role, keys, openSsl(keys));
        }
    }

    @Test
    @DisplayName("a chain of more certificates than Java takes by default, which BoringSSL takes")
    void longChain() throws Exception {
        final Authority root = new Authority(KeyKind.P256, "CN=root");
        Authority authority = root;
        for (int number = 0; number < INTERMEDIATES; number++) {
            authority = new Authority(authority, KeyKind.P256, "CN=authority " + number);
        }
        final Keys keys = new Keys(root.issue(KeyKind.P256, "CN=127.0.0.1"), authority.issue(KeyKind.P256, "CN=peer"));
        final Attempt attempt = java(keys);
        for (final String protocol : PROTOCOLS) {
            assertFalse(isServedBySockets(keys, attempt, protocol), protocol);
            try (MatrixListener listener = MatrixListener.of(keys.nifi, "tls.provider", "auto")) {
                assertTrue(attempt.isServed(listener.port(), protocol), protocol);
            }
        }
    }

    private static void check(final KeyKind kind, final Role role, final Keys keys, final Attempt attempt)
            throws Exception {
        for (final String protocol : PROTOCOLS) {
            final String cell = role + " " + protocol;
            final boolean stock = isServedBySockets(keys, attempt, protocol);
            assertTrue(stock || kind == KeyKind.DSA, cell);
            if (!stock) {
                continue;
            }
            try (MatrixListener listener = MatrixListener.of(keys.nifi, "tls.provider", "jdk")) {
                assertTrue(attempt.isServed(listener.port(), protocol), cell);
            }
            try (MatrixListener listener = MatrixListener.of(keys.nifi, "tls.provider", "auto")) {
                boolean served = attempt.isServed(listener.port(), protocol);
                for (int refused = 1; !role.isKnownToNifi() && !served && refused <= MOST_REFUSED; refused++) {
                    listener.awaitNoConnection();
                    served = attempt.isServed(listener.port(), protocol);
                }
                assertTrue(served, cell);
            }
        }
    }

    /** As the stock listener serves: with sockets of Java's that need a client certificate. */
    private static boolean isServedBySockets(final Keys keys, final Attempt attempt, final String protocol)
            throws Exception {
        final SSLContext context = MatrixTls.context(keys.nifi);
        try (SSLServerSocket server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setNeedClientAuth(true);
            final Thread answering = Thread.ofPlatform().daemon().start(() -> answer(server));
            final boolean served = attempt.isServed(server.getLocalPort(), protocol);
            answering.join();
            return served;
        }
    }

    private static void answer(final SSLServerSocket server) {
        try (SSLSocket peer = (SSLSocket) server.accept()) {
            peer.getInputStream().readNBytes(Message.magic().length);
            peer.getOutputStream().write(RESOURCE_OK);
        } catch (final SSLException e) {
            return;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
