// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import org.apache.nifi.remote.protocol.Response;
import org.apache.nifi.remote.protocol.ResponseCode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.harness.nifi.Component;
import org.nios2s.harness.nifi.ComponentKind;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.RestClient;
import org.nios2s.harness.nifi.RestException;
import org.nios2s.harness.nifi.security.AccessPolicies;
import org.nios2s.harness.nifi.security.AccessPolicies.Action;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.integration.Peers;
import org.nios2s.integration.SharedNifi;
import org.nios2s.peers.TestPeer;

/**
 * Ways around a port's policy, each tried on a secured NiFi with our listener and on one with the listener that NiFi
 * comes with: the same ones are closed, with the same words.
 * The tests run one after the other on one thread.
 */
@ParameterizedClass
@EnumSource(
        value = SharedNifi.class,
        names = {"NIO_SECURED", "STOCK_SECURED"})
@ResourceLock(SharedNifi.Lock.NIO_SECURED)
@ResourceLock(SharedNifi.Lock.STOCK_SECURED)
class AuthorizationIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String TLS_1_2 = "TLSv1.2";
    private static final String TLS_1_3 = "TLSv1.3";
    private static final int CONFLICT = 409;
    /** Of a certificate: long enough for a push on a busy machine. */
    private static final Duration SHORT_LIFE = Duration.ofSeconds(5);

    @Parameter
    private SharedNifi shared;

    private NifiNode nifi;
    private TlsClients clients;
    private Component input;
    private Component loopIn;

    @BeforeEach
    void start() {
        nifi = shared.get();
        clients = new TlsClients(nifi.security());
        input = new Component(ComponentKind.INPUT_PORT, nifi.portId("input"));
        loopIn = new Component(ComponentKind.INPUT_PORT, nifi.portId("loop-in"));
    }

    @Test
    void withoutAPolicyAPeerIsToldSoWithItsNameAndMayNotPushNevertheless() throws IOException {
        try (TestPeer stranger = connect(clients.stranger())) {
            assertRefused(Identity.STRANGER.distinguishedName(), stranger.answerToHandshake(input.id()));
            stranger.negotiateCodec();
            assertThrows(IOException.class, () -> push(stranger));
        }
    }

    @Test
    void withoutAPolicyAPeerMayNotPullNevertheless() throws IOException {
        try (TestPeer stranger = connect(clients.stranger())) {
            assertEquals(
                    ResponseCode.UNAUTHORIZED,
                    stranger.answerToHandshake(nifi.portId("loop-out")).getCode());
            stranger.negotiateCodec();
            stranger.request("RECEIVE_FLOWFILES");
            assertThrows(IOException.class, stranger::response);
        }
    }

    @Test
    void thePolicyOfAnotherPortIsNoPolicy() throws Exception {
        final String name = "CN=other-port, OU=s2s-harness";
        user(name);
        nifi.policies().grant(name, Action.WRITE, AccessPolicies.transferTo(input));
        try (TestPeer peer = connect(clients.named(name))) {
            assertEquals(
                    ResponseCode.PROPERTIES_OK,
                    peer.answerToHandshake(input.id()).getCode());
            peer.negotiateCodec();
            assertEquals(ResponseCode.TRANSACTION_FINISHED, push(peer));
        }
        try (TestPeer peer = connect(clients.named(name))) {
            assertRefused(name, peer.answerToHandshake(loopIn.id()));
            peer.negotiateCodec();
            assertThrows(IOException.class, () -> push(peer));
        }
    }

    @Test
    void permissionToReadAPortIsNoPermissionToSend() throws Exception {
        final String name = "CN=reader, OU=s2s-harness";
        user(name);
        nifi.policies().grant(name, Action.READ, AccessPolicies.transferTo(input));
        nifi.policies().grant(name, Action.READ, "/site-to-site");
        try (TestPeer peer = connect(clients.named(name))) {
            assertRefused(name, peer.answerToHandshake(input.id()));
        }
    }

    /** The authorized client's name, in other letters, with other blanks, in another order, or with more around it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CN=CLIENT, OU=s2s-harness",
                "CN=client, OU=S2S-HARNESS",
                "CN=client\\ , OU=s2s-harness",
                "CN=\\ client, OU=s2s-harness",
                "CN=cl ient, OU=s2s-harness",
                "CN=client, OU=s2s-harness\\ ",
                "OU=s2s-harness, CN=client",
                "CN=client, OU=s2s-harness, O=other",
                "CN=client\\, OU\\=s2s-harness",
                "CN=client + OU=s2s-harness"
            })
    void aNameThatIsAlmostTheClientsIsAnother(final String name) throws Exception {
        try (TestPeer peer = connect(clients.named(name))) {
            assertEquals(
                    ResponseCode.UNAUTHORIZED,
                    peer.answerToHandshake(input.id()).getCode());
        }
    }

    /** Written otherwise, but the same name to TLS: NiFi formats it itself. */
    @ParameterizedTest
    @ValueSource(strings = {"CN=client,OU=s2s-harness", "cn=client, ou=s2s-harness", "CN = client , OU = s2s-harness"})
    void theSameNameIsTheSameHoweverItIsWritten(final String name) throws Exception {
        try (TestPeer peer = connect(clients.named(name))) {
            assertEquals(
                    ResponseCode.PROPERTIES_OK,
                    peer.answerToHandshake(input.id()).getCode());
        }
    }

    @Test
    void aMappedIdentityIsWhatItIsMappedTo() throws Exception {
        final String mapped = "alice";
        user(mapped);
        nifi.policies().grant(mapped, Action.WRITE, AccessPolicies.transferTo(input));
        for (final String name : List.of("CN=mapped-alice, OU=s2s-harness", "CN=mapped-ALICE, OU=s2s-harness")) {
            try (TestPeer peer = connect(clients.named(name))) {
                assertEquals(
                        ResponseCode.PROPERTIES_OK,
                        peer.answerToHandshake(input.id()).getCode());
                peer.negotiateCodec();
                assertEquals(ResponseCode.TRANSACTION_FINISHED, push(peer));
            }
        }
    }

    @Test
    void thePolicyOfANameThatIsMappedAwayIsNoPolicy() throws Exception {
        final String name = "CN=mapped-bob, OU=s2s-harness";
        user(name);
        nifi.policies().grant(name, Action.WRITE, AccessPolicies.transferTo(input));
        try (TestPeer peer = connect(clients.named(name))) {
            assertRefused("bob", peer.answerToHandshake(input.id()));
        }
    }

    @Test
    void aMemberOfAGroupMayDoWhatTheGroupMayUntilItLeaves() throws Exception {
        final String name = "CN=member, OU=s2s-harness";
        final String group = group(name);
        try (TestPeer peer = connect(clients.named(name))) {
            assertEquals(
                    ResponseCode.PROPERTIES_OK,
                    peer.answerToHandshake(loopIn.id()).getCode());
            peer.negotiateCodec();
            assertEquals(ResponseCode.TRANSACTION_FINISHED, push(peer));

            leave(group);

            assertThrows(IOException.class, () -> push(peer));
        }
        try (TestPeer peer = connect(clients.named(name))) {
            assertRefused(name, peer.answerToHandshake(loopIn.id()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {TLS_1_2, TLS_1_3})
    void aResumedSessionWhosePolicyWasTakenAwayIsRefused(final String version) throws Exception {
        final String name = "CN=resumed" + version + ", OU=s2s-harness";
        user(name);
        nifi.policies().grant(name, Action.WRITE, AccessPolicies.transferTo(input));
        final SSLContext context = clients.named(name);
        final SSLSession first = sessionOfAPush(context, version);

        nifi.policies().revoke(name, Action.WRITE, AccessPolicies.transferTo(input));

        Awaitility.await().atMost(PATIENCE).until(() -> System.currentTimeMillis() > first.getCreationTime());
        try (TestPeer peer = Peers.connect(context, nifi.info(), version)) {
            assertEquals(first.getCreationTime(), peer.tlsSession().getCreationTime(), "the session is not resumed");
            assertRefused(name, peer.answerToHandshake(input.id()));
            peer.negotiateCodec();
            assertThrows(IOException.class, () -> push(peer));
        }
    }

    /** Java checks a certificate when a session begins, not when it is resumed; NiFi's HTTPS and RAW port rely on it. */
    @Test
    void aResumedSessionOutlivesItsCertificateAsItDoesInNifi() throws Exception {
        final Instant end = Instant.now().plus(SHORT_LIFE);
        final Map<String, SSLContext> contexts = new HashMap<>();
        final Map<String, SSLSession> first = new HashMap<>();
        for (final String version : List.of(TLS_1_2, TLS_1_3)) {
            contexts.put(version, clients.validUntil(end));
            first.put(version, sessionOfAPush(contexts.get(version), version));
        }
        Awaitility.await().atMost(PATIENCE).until(() -> Instant.now().isAfter(end));
        for (final String version : contexts.keySet()) {
            final SSLSession resumed = sessionOfAPush(contexts.get(version), version);

            assertEquals(first.get(version).getCreationTime(), resumed.getCreationTime(), version);
            assertThrows(IOException.class, () -> sessionOfAPush(clients.expired(), version), version);
        }
    }

    /** There is no chain of proxied entities on the RAW port: a peer is who its certificate says, whatever it says. */
    @Test
    void whomAPeerClaimsToSpeakForDoesNotMatter() throws Exception {
        final String claimed = Identity.CLIENT.distinguishedName();
        final Map<String, String> properties = new LinkedHashMap<>();
        properties.put("GZIP", "false");
        properties.put("X-ProxiedEntitiesChain", "<" + claimed + ">");
        properties.put("PORT_IDENTIFIER", input.id());
        final Map<String, String> plain = new HashMap<>(properties);
        plain.remove("X-ProxiedEntitiesChain");
        try (TestPeer stranger = connect(clients.stranger())) {
            final ResponseCode answer =
                    stranger.answerToHandshake("<" + claimed + ">", properties).getCode();
            assertEquals(true, answer == ResponseCode.UNKNOWN_PROPERTY_NAME || answer == ResponseCode.UNAUTHORIZED);
        }
        try (TestPeer stranger = connect(clients.stranger())) {
            assertRefused(
                    Identity.STRANGER.distinguishedName(), stranger.answerToHandshake("<" + claimed + ">", plain));
        }
    }

    /** A node may speak for others over HTTPS; on the RAW port it needs a policy of its own. */
    @Test
    void whoMayProxyMayNotSend() throws Exception {
        final String name = "CN=proxy, OU=s2s-harness";
        user(name);
        nifi.policies().grant(name, Action.WRITE, "/proxy");
        nifi.policies().grant(name, Action.READ, "/site-to-site");
        try (TestPeer peer = connect(clients.named(name))) {
            assertRefused(name, peer.answerToHandshake(input.id()));
        }
    }

    /** What the administrator sees of it: the stock listener has the port say it once more, on a task of the port. */
    @Test
    void aPolicyThatIsTakenAwayInBetweenIsToldInBulletins() throws Exception {
        final String name = "CN=revoked, OU=s2s-harness";
        user(name);
        nifi.policies().grant(name, Action.WRITE, AccessPolicies.transferTo(input));
        try (TestPeer peer = connect(clients.named(name))) {
            assertEquals(
                    ResponseCode.PROPERTIES_OK,
                    peer.answerToHandshake(input.id()).getCode());
            peer.negotiateCodec();
            nifi.policies().revoke(name, Action.WRITE, AccessPolicies.transferTo(input));
            assertThrows(IOException.class, () -> push(peer));
        }
        final List<String> expected = shared == SharedNifi.STOCK_SECURED
                ? List.of("ERROR Cannot service request", "WARNING authorization failed")
                : List.of("WARNING authorization failed");
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertEquals(expected, bulletins(name)));
    }

    private List<String> bulletins(final String name) {
        final List<String> bulletins = new ArrayList<>();
        for (final JsonNode bulletin : nifi.rest()
                .get("/flow/bulletin-board?sourceId=" + input.id())
                .required("bulletinBoard")
                .required("bulletins")) {
            final String message =
                    bulletin.required("bulletin").required("message").asText();
            if (message.contains(name)) {
                bulletins.add(bulletin.required("bulletin").required("level").asText()
                        + (message.contains("Cannot service request from")
                                ? " Cannot service request"
                                : message.contains("authorization failed for user")
                                        ? " authorization failed"
                                        : message));
            }
        }
        bulletins.sort(null);
        return bulletins;
    }

    private TestPeer connect(final SSLContext context) throws IOException {
        return Peers.connect(context, nifi.info(), TLS_1_3);
    }

    private SSLSession sessionOfAPush(final SSLContext context, final String version) throws IOException {
        try (TestPeer peer = Peers.connect(context, nifi.info(), version)) {
            final SSLSession session = peer.tlsSession();
            assertEquals(
                    ResponseCode.PROPERTIES_OK,
                    peer.answerToHandshake(input.id()).getCode());
            peer.negotiateCodec();
            assertEquals(ResponseCode.TRANSACTION_FINISHED, push(peer));
            return session;
        }
    }

    private static ResponseCode push(final TestPeer peer) throws IOException {
        return peer.push(Map.of(), new byte[1]);
    }

    private static void assertRefused(final String identity, final Response response) {
        assertEquals(ResponseCode.UNAUTHORIZED, response.getCode());
        assertEquals(
                "authorization failed for user " + identity + " because",
                response.getMessage().replaceAll("^\\S+ (authorization failed for user .*? because) .*$", "$1"));
    }

    /** Makes an identity known to NiFi, if it is not yet. */
    private void user(final String identity) {
        final ObjectNode user = RestClient.object();
        user.putObject("revision").put("version", 0);
        user.putObject("component").put("identity", identity);
        try {
            nifi.rest().post("/tenants/users", user);
        } catch (final RestException e) {
            if (e.status() != CONFLICT) {
                throw e;
            }
        }
    }

    /** Makes a user, a group of it alone, and lets the group send to {@code loop-in}; returns the group's path. */
    private String group(final String member) {
        user(member);
        final JsonNode user = find("/tenants/users", "users", member);
        final ObjectNode group = RestClient.object();
        group.putObject("revision").put("version", 0);
        final ObjectNode component = group.putObject("component").put("identity", "senders");
        component.putArray("users").addObject().put("id", user.required("id").asText());
        final String id =
                nifi.rest().post("/tenants/user-groups", group).required("id").asText();
        nifi.policies().grant(Identity.ADMIN.distinguishedName(), Action.WRITE, AccessPolicies.transferTo(loopIn));
        final ObjectNode policy = (ObjectNode) nifi.rest().get("/policies/write" + AccessPolicies.transferTo(loopIn));
        ((ArrayNode) policy.required("component").required("userGroups"))
                .addObject()
                .put("id", id);
        put("/policies/" + policy.required("id").asText(), policy);
        return "/tenants/user-groups/" + id;
    }

    private void leave(final String group) {
        final ObjectNode entity = (ObjectNode) nifi.rest().get(group);
        ((ObjectNode) entity.required("component")).putArray("users");
        put(group, entity);
    }

    private void put(final String path, final ObjectNode entity) {
        final ObjectNode change = RestClient.object();
        change.set("revision", entity.required("revision"));
        change.set("component", entity.required("component"));
        nifi.rest().put(path, change);
    }

    private JsonNode find(final String path, final String list, final String identity) {
        for (final JsonNode entity : nifi.rest().get(path).required(list)) {
            if (identity.equals(
                    entity.required("component").required("identity").asText())) {
                return entity;
            }
        }
        throw new AssertionError("NiFi does not know " + identity);
    }
}
