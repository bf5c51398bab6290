// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiNodeInfo;
import org.nios2s.harness.nifi.security.AccessPolicies;
import org.nios2s.harness.nifi.security.AccessPolicies.Action;
import org.nios2s.harness.nifi.security.CertificateAuthority;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;
import org.nios2s.integration.FaultLine;
import org.nios2s.integration.Peers;
import org.nios2s.integration.SharedNifi;
import org.nios2s.peers.Message;
import org.nios2s.peers.TestPeer;

/**
 * TLS, identities and policies of our listener in a secured NiFi, once for each provider of TLS.
 * The tests run one after the other on one thread.
 */
@ParameterizedClass
@EnumSource(names = {"NIO_SECURED", "NIO_SECURED_JDK"})
@ResourceLock(SharedNifi.Lock.NIO_SECURED)
@ResourceLock(SharedNifi.Lock.NIO_SECURED_JDK)
class TlsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int TIMEOUT_MILLIS = 20_000;
    private static final byte TLS_ALERT = 21;

    private static final String TLS_1_3 = "TLSv1.3";
    private static final String PACKET_ID = "packet.id";
    private static final String STACK_FRAME = "\tat ";

    /** Other tests make NiFi's own code log traces meanwhile. */
    private static final String OUR_STACK_FRAME = STACK_FRAME + "org.nios2s";

    private static final Set<ResponseCode> COMMITTED =
            Set.of(ResponseCode.TRANSACTION_FINISHED, ResponseCode.TRANSACTION_FINISHED_BUT_DESTINATION_FULL);

    @Parameter
    private SharedNifi serving;

    private NifiNode nifi;
    private NifiNodeInfo instance;
    private TlsClients clients;
    private int linesBefore;
    private LocalDateTime begin;

    @BeforeEach
    void start() {
        nifi = serving.get();
        instance = nifi.info();
        clients = new TlsClients(nifi.security());
        linesBefore = nifi.log().lines().size();
        begin = LocalDateTime.now();
    }

    /** Whatever a peer does, the log gets neither a stack trace nor more than one line per cause and minute. */
    @AfterEach
    void theLogIsQuiet() {
        final List<String> lines = nifi.log().lines();
        final List<String> added = lines.subList(linesBefore, lines.size());
        assertEquals(
                List.of(),
                added.stream().filter(line -> line.startsWith(STACK_FRAME)).toList());
        final long tlsLines =
                added.stream().filter(line -> line.contains("(TLS")).count();
        final long allowed = 1 + Duration.between(begin, LocalDateTime.now()).toMinutes();
        assertTrue(tlsLines <= allowed, () -> tlsLines + " lines: " + added);
    }

    @Test
    void theProviderThatWasAskedForServes() {
        final List<String> serves = nifi.log().linesWith("The NIO Site-to-Site listener serves TLS");

        assertEquals(1, serves.size());
        assertTrue(serves.getFirst().contains(serving.hasBoringSsl() ? "(BoringSSL)" : "(JDK)"), serves::getFirst);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", TLS_1_3})
    void aPeerWithoutCertificateIsCutOff(final String version) throws Exception {
        assertCutOff(clients.withoutCertificate(), version);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", TLS_1_3})
    void aPeerWithAnUntrustedCertificateIsCutOff(final String version) throws Exception {
        assertCutOff(clients.untrusted(), version);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", TLS_1_3})
    void aPeerWithAnExpiredCertificateIsCutOff(final String version) throws Exception {
        assertCutOff(clients.expired(), version);
    }

    @Test
    void aPeerThatSpeaksPlainTextIsCutOff() throws IOException {
        try (TestPeer other = greeted();
                Socket plain = new Socket(instance.s2sHost(), instance.s2sPort())) {
            plain.setSoTimeout(TIMEOUT_MILLIS);
            plain.getOutputStream().write(Message.all(Message.magic(), Message.protocol(Message.NEWEST_VERSION)));

            final byte[] answer = plain.getInputStream().readAllBytes();
            assertTrue(answer.length == 0 || answer[0] == TLS_ALERT, () -> Arrays.toString(answer));
            assertPushes(other);
        }
        assertWarnedOfTls();
    }

    @Test
    void aPeerThatSpeaksTlsOnThePlainPortIsCutOff() {
        final NifiNode plain = SharedNifi.NIO.get();
        final int stackFramesBefore = plain.log().linesWith(OUR_STACK_FRAME).size();

        assertEndedByOtherEnd(() -> Peers.connect(clients.authorized(), plain.info(), TLS_1_3));

        Awaitility.await().atMost(PATIENCE).until(() -> FaultLine.reports(plain.log(), "WRONG_MAGIC", begin));
        assertEquals(stackFramesBefore, plain.log().linesWith(OUR_STACK_FRAME).size());
    }

    /** NiFi reads a key store again that has changed, if it is set to. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", TLS_1_3})
    void aKeyThatIsReplacedServesTheNextConnections(final String version) throws Exception {
        final SecurityFiles security = nifi.security();
        final KeyStore replacement = security.authority()
                .issue(Identity.NODE.distinguishedName(), security.password().toCharArray());
        final BigInteger expected = serialNumber(replacement.getCertificate(CertificateAuthority.ALIAS));
        final TestPeer other = greeted();
        assertNotEquals(expected, servedSerialNumber(version));

        Files.move(
                security.save("replacement.p12", replacement),
                security.keyStore(Identity.NODE),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.ATOMIC_MOVE);

        Awaitility.await().atMost(PATIENCE).until(() -> servedSerialNumber(version), expected::equals);
        try (other) {
            assertPushes(other);
        }
    }

    private BigInteger servedSerialNumber(final String version) throws IOException {
        // This peer leaves while its handshake may still be under way at our end.
        try (TestPeer peer = Peers.connectFromSuspectAddress(clients.authorized(), instance, version)) {
            return serialNumber(peer.tlsSession().getPeerCertificates()[0]);
        }
    }

    private static BigInteger serialNumber(final Certificate certificate) {
        return ((X509Certificate) certificate).getSerialNumber();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", TLS_1_3})
    void theStrangerIsToldSoAndMayGoOnAsking(final String version) throws IOException {
        try (TestPeer stranger = Peers.connect(clients.stranger(), instance, version)) {
            assertEquals(
                    ResponseCode.UNAUTHORIZED,
                    stranger.answerToHandshake(nifi.portId("input")).getCode());
            assertEquals(1, stranger.request("REQUEST_PEER_LIST").peerList().size());
        }
    }

    @Test
    void aPolicyThatIsTakenAwayEndsTheNextTransaction() throws IOException {
        final String client = Identity.CLIENT.distinguishedName();
        final String input = AccessPolicies.transferTo(new Component(ComponentKind.INPUT_PORT, nifi.portId("input")));
        final Path ids = nifi.keepPacketIds("policies-" + serving);
        try (TestPeer peer = greeted()) {
            assertPushes(peer, "allowed");
            nifi.policies().revoke(client, Action.WRITE, input);
            try {
                assertEndedByOtherEnd(() -> peer.push(Map.of(PACKET_ID, "revoked"), new byte[1]));
            } finally {
                nifi.policies().grant(client, Action.WRITE, input);
            }
        }
        try (TestPeer peer = greeted()) {
            assertPushes(peer, "allowed again");
        }
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> Files.readAllLines(ids), lines -> lines.contains("allowed again"));
        assertTrue(Files.readAllLines(ids).contains("allowed"));
        assertFalse(Files.readAllLines(ids).contains("revoked"));
        nifi.dropPacketIds();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", TLS_1_3})
    void theSecondConnectionResumesTheSessionOfTheFirst(final String version) throws IOException {
        final SSLContext context = clients.authorized();
        final SSLSession first = sessionOfAPush(context, version);
        Awaitility.await().atMost(PATIENCE).until(() -> System.currentTimeMillis() > first.getCreationTime());

        final SSLSession resumed = sessionOfAPush(context, version);
        final SSLSession fresh = sessionOfAPush(clients.authorized(), version);

        assertEquals(first.getCreationTime(), resumed.getCreationTime());
        assertNotEquals(first.getCreationTime(), fresh.getCreationTime());
        assertEquals(version, resumed.getProtocol());
    }

    /** The session of a connection that has read something after the handshake: TLS 1.3 brings its ticket then. */
    private SSLSession sessionOfAPush(final SSLContext context, final String version) throws IOException {
        try (TestPeer peer = Peers.connect(context, instance, version)) {
            final SSLSession session = peer.tlsSession();
            greet(peer);
            assertPushes(peer);
            return session;
        }
    }

    private void assertCutOff(final SSLContext bad, final String version) throws IOException {
        try (TestPeer other = greeted()) {
            assertEndedByOtherEnd(() -> {
                try (TestPeer peer = Peers.connectFromSuspectAddress(bad, instance, version)) {
                    peer.answerToHandshake(nifi.portId("input"));
                }
            });
            assertPushes(other);
        }
        try (TestPeer next = greeted()) {
            assertPushes(next);
        }
        assertWarnedOfTls();
    }

    /** A peer that still waits at the end was not cut off. */
    private static void assertEndedByOtherEnd(final Executable conversation) {
        final IOException end = assertThrows(IOException.class, conversation);
        assertFalse(end instanceof SocketTimeoutException, end::toString);
    }

    private void assertWarnedOfTls() {
        Awaitility.await().atMost(PATIENCE).until(() -> FaultLine.reports(nifi.log(), "TLS", begin));
    }

    private TestPeer greeted() throws IOException {
        final TestPeer peer = Peers.connect(clients.authorized(), instance, TLS_1_3);
        greet(peer);
        return peer;
    }

    private void greet(final TestPeer peer) throws IOException {
        assertEquals(
                ResponseCode.PROPERTIES_OK,
                peer.answerToHandshake(nifi.portId("input")).getCode());
        peer.negotiateCodec();
    }

    private static void assertPushes(final TestPeer peer) throws IOException {
        assertPushes(peer, "pushed");
    }

    private static void assertPushes(final TestPeer peer, final String packetId) throws IOException {
        final ResponseCode end = peer.push(Map.of(PACKET_ID, packetId), new byte[1]);
        assertTrue(COMMITTED.contains(end), end::toString);
    }
}
