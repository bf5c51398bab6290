// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.security.AccessPolicies;
import org.nios2s.harness.nifi.security.AccessPolicies.Action;
import org.nios2s.harness.nifi.security.Identity;

/**
 * The harness's NiFi with TLS, users and policies, and the NIO listener.
 * One NiFi serves all tests, which run one after the other on one thread.
 */
class SecuredNifiIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int PACKETS = 5;

    private static NifiInstance nifi;

    @BeforeAll
    static void start() {
        nifi = NifiInstance.start(new NifiOptions()
                .home(Path.of("target", "nifi-homes", "secured"))
                .listener(Listener.NIO)
                .heap("1g")
                .secure(true)
                .fresh(true)
                .stopOnExit(true));
    }

    @AfterAll
    static void stop() {
        if (nifi != null) {
            nifi.stop();
        }
    }

    @Test
    void theNioListenerServesTls() {
        assertEquals(
                1,
                nifi.log().linesWith("The NIO Site-to-Site listener serves TLS").size());
    }

    @Test
    void theAuthorizedClientPushes() throws IOException {
        final SinkLedger before = nifi.ledger();

        try (Peer peer = Peer.of(nifi, "input")) {
            peer.push("pushed", PACKETS);
        }

        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> nifi.ledger().since(before).count() == PACKETS);
    }

    @Test
    void theAuthorizedClientPullsBackWhatItPushed() throws IOException {
        final List<String> pulled = new ArrayList<>();
        try (Peer sender = Peer.of(nifi, "loop-in");
                Peer receiver = Peer.of(nifi, "loop-out")) {
            sender.push("looped", PACKETS);
            Awaitility.await().atMost(PATIENCE).until(() -> {
                pulled.addAll(receiver.pull());
                return pulled.size() == PACKETS;
            });
        }

        assertEquals(List.of("looped-0", "looped-1", "looped-2", "looped-3", "looped-4"), pulled);
    }

    @Test
    void theStrangerIsRefused() throws IOException {
        try (Peer stranger = Peer.of(nifi, "input", nifi.instance().strangerKeyStore())) {
            final IOException refusal = assertThrows(IOException.class, () -> stranger.push("strange", 1));
            assertTrue(refusal.getMessage().contains("403"), refusal::toString);
        }
    }

    @Test
    void aPermissionCanBeTakenAwayAndGivenBack() throws IOException {
        final String client = Identity.CLIENT.distinguishedName();
        final String input = AccessPolicies.transferTo(new Component(ComponentKind.INPUT_PORT, nifi.portId("input")));

        final Path ids = nifi.keepPacketIds("permission");

        nifi.policies().revoke(client, Action.WRITE, input);
        try (Peer peer = Peer.of(nifi, "input")) {
            assertThrows(IOException.class, () -> peer.push("revoked", 1));
        } finally {
            nifi.policies().grant(client, Action.WRITE, input);
        }

        try (Peer peer = Peer.of(nifi, "input")) {
            peer.push("granted", 1);
        }
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertEquals(List.of("granted-0"), Files.readAllLines(ids)));
        nifi.dropPacketIds();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void theRawPortSpeaksTls(final String version) throws IOException {
        final InstanceRecord instance = nifi.instance();
        try (SSLSocket socket = (SSLSocket) nifi.security()
                .context(nifi.security().keyStore(Identity.CLIENT))
                .getSocketFactory()
                .createSocket(instance.s2sHost(), instance.s2sPort())) {
            socket.setEnabledProtocols(new String[] {version});
            socket.startHandshake();

            assertEquals(version, socket.getSession().getProtocol());
            final X509Certificate certificate =
                    (X509Certificate) socket.getSession().getPeerCertificates()[0];
            assertEquals(
                    Identity.NODE.distinguishedName(),
                    certificate.getSubjectX500Principal().toString());
        }
    }

    @Test
    void attachingFindsTheSameNifiWithTheAdministratorsRights() {
        try (RestClient rest = NifiInstance.attach(Path.of(nifi.instance().home()))
                .orElseThrow()
                .rest()) {
            assertEquals(nifi.flow().rootGroup(), new FlowClient(rest).rootGroup());
        }
    }

    @Test
    void aRestartKeepsCertificatesUsersAndPolicies() throws IOException {
        final InstanceRecord before = nifi.instance();

        nifi.stop();
        nifi.startAgain();

        assertEquals(before.password(), nifi.instance().password());
        theAuthorizedClientPushes();
    }
}
