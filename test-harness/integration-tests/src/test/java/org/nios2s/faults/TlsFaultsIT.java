// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.nifi.security.CertificateAuthority;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;
import org.nios2s.integration.Peers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens to TLS under load, see {@link Ordeal}: certificates expire and are replaced, handshakes stall, keys are renewed
 * without end. Runs on the thread of the tests, with a secured NiFi of its own.
 *
 * <p>Only with {@code -Pfaults}; {@code -Dfaults.tls=jdk} has the JDK do the arithmetic.
 */
@Tag("full")
@EnabledIfSystemProperty(named = "faults", matches = "true")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TlsFaultsIT {

    private static final Logger logger = LoggerFactory.getLogger(TlsFaultsIT.class);

    private static final Path HOME = Path.of("target", "nifi-homes", "tls-faults");
    private static final String PROVIDER = System.getProperty("faults.tls", "auto");
    /** As the stock listener, the JDK does not tell a peer more. */
    private static final String EXPIRED = PROVIDER.equals("jdk") ? "certificate_unknown" : "certificate_expired";

    private static final Duration LIVES_ON = Duration.ofSeconds(8);
    private static final Duration ONE_DAY = Duration.ofDays(1);
    private static final int STALLING_PEERS = 500;
    private static final int RENEWING_PEERS = 20;
    private static final int LISTENING_MILLIS = 100;
    private static final int EXPIRING_PACKETS = 20;

    private static NifiNode nifi;
    private static SecurityFiles security;
    private static Ordeal ordeal;

    @BeforeAll
    static void start() throws IOException {
        nifi = NifiNode.start(new NifiOptions()
                .home(HOME)
                .listener(Listener.NIO)
                .heap("1g")
                .fresh(true)
                .stopOnExit(true)
                .secure(true)
                .property("nifi.content.repository.archive.enabled", "false")
                .property("nifi.security.autoreload.enabled", "true")
                .property("nifi.security.autoreload.interval", "1 secs")
                .property("nifi.remote.input.nio.tls.provider", PROVIDER));
        security = nifi.security();
        ordeal = new Ordeal(List.of(nifi));
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.close();
        }
    }

    @Test
    @Order(1)
    void handshakesThatStallAreEndedAndDisturbNobody() throws Exception {
        final byte[] hello = clientHello();
        final byte[] half = Arrays.copyOf(hello, hello.length / 2);
        final Attack attack =
                new Attack("stalled TLS handshakes", STALLING_PEERS, Duration.ZERO, true, peer -> List.of(half)
                        .iterator());
        ordeal.endure("tls-stalled", load -> {
            final long failures = load.failures();
            try (AttackSwarm swarm = AttackSwarm.launch(attack, Peers.address(nifi))) {
                Awaitility.await().atMost(Ordeal.PATIENCE).until(() -> swarm.connected() == STALLING_PEERS);
                load.awaitProgress();
                Awaitility.await().atMost(Ordeal.PATIENCE).until(() -> swarm.ended() == STALLING_PEERS);
            }
            assertEquals(failures, load.failures(), "clients that noticed");
        });
    }

    private static byte[] clientHello() throws SSLException {
        final SSLEngine engine = security.context(security.keyStore(Identity.CLIENT))
                .createSSLEngine(nifi.info().s2sHost(), nifi.info().s2sPort());
        engine.setUseClientMode(true);
        engine.beginHandshake();
        final ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return Arrays.copyOf(hello.array(), hello.position());
    }

    /** In TLS 1.2 another handshake is a renegotiation, in TLS 1.3 an update of the keys that asks for the other end's. */
    @ParameterizedTest
    @Order(1)
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void keysThatAreRenewedWithoutEndDisturbNobody(final String version) throws Exception {
        ordeal.endure("tls-renewed-" + version, load -> {
            final long failures = load.failures();
            try (ExecutorService threads = Executors.newFixedThreadPool(RENEWING_PEERS)) {
                final List<Future<Long>> peers = new ArrayList<>();
                for (int peer = 0; peer < RENEWING_PEERS; peer++) {
                    peers.add(threads.submit(() -> renewUntilTheEnd(version)));
                }
                load.awaitProgress();
                final List<Long> handshakes = new ArrayList<>();
                for (final Future<Long> peer : peers) {
                    handshakes.add(peer.get());
                }
                logger.info("{}: ended by the listener after {} handshakes", version, handshakes);
            }
            assertEquals(failures, load.failures(), "clients that noticed");
        });
    }

    private static long renewUntilTheEnd(final String version) throws IOException {
        final SSLContext context = security.context(security.keyStore(Identity.CLIENT));
        final Instant patience = Instant.now().plus(Ordeal.PATIENCE);
        long handshakes = 0;
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
                .createSocket(
                        nifi.info().s2sHost(),
                        nifi.info().s2sPort(),
                        InetAddress.getByName(Peers.SUSPECT_ADDRESS),
                        0)) {
            socket.setEnabledProtocols(new String[] {version});
            socket.setSoTimeout((int) Ordeal.PATIENCE.toMillis());
            socket.startHandshake();
            while (Instant.now().isBefore(patience)) {
                socket.setSoTimeout((int) Ordeal.PATIENCE.toMillis());
                socket.startHandshake();
                socket.setSoTimeout(LISTENING_MILLIS);
                handshakes++;
                if (version.equals("TLSv1.2") && isEnded(socket)) {
                    return handshakes;
                }
            }
        } catch (final SocketTimeoutException e) {
            throw new IOException("A handshake was neither answered nor refused, after " + handshakes, e);
        } catch (final IOException e) {
            logger.debug("Ended", e);
            return handshakes;
        }
        throw new IOException("Nobody ended it after " + handshakes + " handshakes");
    }

    /** Hears what a renegotiation is answered, which only a read does. */
    private static boolean isEnded(final SSLSocket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (final SocketTimeoutException e) {
            return false;
        }
    }

    @Test
    @Order(2)
    void aCertificateThatExpiresIsRefusedAndTheOthersGoOn() throws Exception {
        ordeal.endure("tls-expired", load -> {
            final long failures = load.failures();
            final Instant end = Instant.now().plus(LIVES_ON);
            final Path expiring = security.save(
                    "expiring.p12",
                    security.authority()
                            .issue(Identity.CLIENT.distinguishedName(), password(), end.minus(ONE_DAY), end));
            try (ResendingSenders clients =
                    load.join("expiring", 2, Load.SMALL_BYTES, () -> connect(security.context(expiring)))) {
                clients.awaitMore(EXPIRING_PACKETS);
                Awaitility.await().atMost(Ordeal.PATIENCE).until(() -> Instant.now()
                        .isAfter(end));
                assertRefused(EXPIRED, expiring);
                load.awaitProgress();
            }
            assertEquals(failures, load.failures(), "clients that noticed");
        });
    }

    /** Clients, NiFi, then what NiFi trusts: as an administrator would go over to another authority. */
    @Test
    @Order(3)
    void certificatesOfAnotherAuthorityReplaceAll() throws Exception {
        final CertificateAuthority next = CertificateAuthority.create("CN=next authority, OU=s2s-harness");
        final KeyStore both = security.authority().trustStore();
        both.setCertificateEntry("next", next.trustStore().getCertificate(CertificateAuthority.ALIAS));
        replace(security.trustStore(), both);
        replace(security.keyStore(Identity.ADMIN), issued(next, Identity.ADMIN));
        final Ordeal administered = new Ordeal(List.of(newAdministrator()));
        final Path newClient = security.save("new-client.p12", issued(next, Identity.CLIENT));
        administered.endure("tls-replaced", load -> {
            final long failures = load.failures();
            administered.speak(security.context(newClient));
            load.awaitProgress();
            replace(security.keyStore(Identity.NODE), issued(next, Identity.NODE));
            load.awaitProgress();
            replace(security.trustStore(), next.trustStore());
            Awaitility.await().atMost(Ordeal.PATIENCE).ignoreExceptions().until(() -> {
                connect(security.context(newClient)).close();
                return true;
            });
            assertRefused("certificate", security.keyStore(Identity.CLIENT));
            load.awaitProgress();
            assertEquals(failures, load.failures(), "clients that noticed");
        });
    }

    private static KeyStore issued(final CertificateAuthority authority, final Identity identity) {
        return authority.issue(identity.distinguishedName(), password());
    }

    private static char[] password() {
        return security.password().toCharArray();
    }

    /** Whole at any moment, since NiFi may read it at any. */
    private static void replace(final Path file, final KeyStore by) throws IOException {
        Files.move(
                security.save("replacement.p12", by),
                file,
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.ATOMIC_MOVE);
    }

    /** The same NiFi by the certificates that are in its directory now, as soon as it knows them. */
    private static NifiNode newAdministrator() {
        return Awaitility.await()
                .atMost(Ordeal.PATIENCE)
                .ignoreExceptions()
                .until(
                        () -> {
                            final NifiNode attached = NifiNode.attach(HOME).orElseThrow();
                            attached.flow().rootGroup();
                            return attached;
                        },
                        attached -> true);
    }

    private static FaultPeer connect(final SSLContext context) throws IOException {
        return new FaultPeer(Peers.address(nifi), nifi.portId("input"), context, step -> {});
    }

    /** Within some time, by an alert that says why. Each time with no session to resume: no certificate is checked then. */
    private static void assertRefused(final String alert, final Path keyStore) {
        Awaitility.await().atMost(Ordeal.PATIENCE).untilAsserted(() -> {
            final IOException end = assertThrows(
                    IOException.class, () -> connect(security.context(keyStore)).close());
            assertFalse(end instanceof SocketTimeoutException, end::toString);
            assertTrue(end.toString().contains(alert), end::toString);
        });
    }
}
