// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nios2s.client.Outcomes.assertFails;
import static org.nios2s.client.Outcomes.packet;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.TransferDirection;
import org.apache.nifi.remote.client.SiteToSiteClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.internal.site.RestSite;
import org.nios2s.client.nifi.NioSiteToSiteClient;

/** What a NiFi's REST API and its list of peers may say, and how often they are asked. */
class SiteTest {
    private static final int MANY = 50;
    private static final String HTTP_ONLY =
            "{\"controller\":{\"inputPorts\":[],\"outputPorts\":[],\"remoteSiteHttpListeningPort\":8080}}";

    private ScriptedServer server;
    private ScriptedSite site;
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        server.peers.put("127.0.0.1", new int[] {server.port(), 5});
        site = new ScriptedSite(server.port());
    }

    @AfterEach
    void stop() throws Exception {
        for (final AutoCloseable each : open.reversed()) {
            each.close();
        }
        site.close();
        server.close();
    }

    private SiteToSite opened(final SiteToSite.Builder builder) {
        final SiteToSite nifi = builder.shutdownTimeout(Duration.ZERO).build();
        open.add(nifi);
        return nifi;
    }

    private SiteToSite byUrl(final String url) {
        return opened(SiteToSite.builder().url(url));
    }

    private HttpServer serving(final HttpServer http, final int status, final String body) {
        http.createContext("/", exchange -> {
            final byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        http.start();
        open.add(() -> http.stop(0));
        return http;
    }

    private String answering(final int status, final String body) throws IOException {
        final HttpServer http =
                serving(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0), status, body);
        return "http://127.0.0.1:" + http.getAddress().getPort() + "/nifi";
    }

    /** A port on which nobody listens. */
    private static int nobody() throws IOException {
        try (ServerSocket unused = new ServerSocket(0)) {
            return unused.getLocalPort();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:8443/nifi",
                "ftp://localhost/nifi",
                "https://",
                "not a url",
                "",
                " ",
                "http://localhost:0/nifi",
                "http://localhost:70000/nifi",
                "http:///nifi"
            })
    void whatIsNoUrlIsRefusedWhereItIsGiven(final String url) {
        final IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class, () -> SiteToSite.builder().url(url));
        assertTrue(refusal.getMessage().contains("https://host:8443/nifi"), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "http://host:8080/nifi, http://host:8080/nifi-api/site-to-site",
        "HTTPS://host/nifi/, https://host/nifi-api/site-to-site",
        "https://host:8443, https://host:8443/nifi-api/site-to-site",
        "https://host:8443/nifi-api, https://host:8443/nifi-api/site-to-site",
        "https://gate/a/b/nifi, https://gate/a/b/nifi-api/site-to-site",
        "https://gate/a/b, https://gate/a/b/nifi-api/site-to-site",
        "https://[::1]:8443/nifi, https://[::1]:8443/nifi-api/site-to-site"
    })
    void theApiIsBesideTheUserInterface(final String url, final String api) {
        assertEquals(api, RestSite.api(url).toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void whoMayNotSeeTheSiteIsUnauthorized(final int status) throws IOException {
        final TransactionException failure = assertFails(
                byUrl(answering(status, "")).inputPort("in").send(packet("a")),
                TransactionStep.FIND_PEER,
                FailureReason.UNAUTHORIZED);
        assertTrue(failure.getMessage().contains("retrieve site-to-site details"), failure.getMessage());
    }

    @Test
    void aNiFiWithoutRawIsSaidToOfferHttpOnly() throws IOException {
        final TransactionException failure = assertFails(
                byUrl(answering(200, HTTP_ONLY)).inputPort("in").send(packet("a")),
                TransactionStep.FIND_PEER,
                FailureReason.REFUSED);
        assertTrue(failure.getMessage().contains("nifi.remote.input.socket.port"), failure.getMessage());
    }

    @Test
    void aNodeWithoutARawPortIsPassedOverForTheNextUrl() throws Exception {
        final SiteToSite nifi = opened(SiteToSite.builder().url(answering(200, HTTP_ONLY), site.url()));
        assertEquals(1, Outcomes.await(nifi.inputPort("in").send(packet("a"))).packets());
    }

    @Test
    void aDeadNodeBesideOneWithoutARawPortMayComeBack() throws IOException {
        final SiteToSite nifi =
                opened(SiteToSite.builder().url(answering(200, HTTP_ONLY), "http://127.0.0.1:" + nobody() + "/nifi"));
        assertFails(
                nifi.inputPort("in").withRetry(RetryPolicy.never()).send(packet("a")),
                TransactionStep.FIND_PEER,
                FailureReason.NO_PEER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>", "{}", "[]", "{\"controller\":[]}", "{\"controller\":{\"inputPorts\":{}}}"})
    void whatIsNoNiFiMayBecomeOne(final String body) throws IOException {
        assertFails(
                byUrl(answering(200, body))
                        .inputPort("in")
                        .withRetry(RetryPolicy.never())
                        .send(packet("a")),
                TransactionStep.FIND_PEER,
                FailureReason.NO_PEER);
    }

    @Test
    void aCertificateThatIsNotTrustedFailsAtOnce() throws Exception {
        final TestCertificates.Identity node = TestCertificates.identity("node");
        final TestCertificates.Identity stranger = TestCertificates.identity("stranger");
        final HttpsServer https = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        https.setHttpsConfigurator(new HttpsConfigurator(TestCertificates.context(node, stranger)));
        serving(https, 200, "{}");
        final SiteToSite nifi = opened(SiteToSite.builder()
                .url("https://localhost:" + https.getAddress().getPort() + "/nifi")
                .tls(TestCertificates.context(stranger, stranger)));
        assertFails(nifi.inputPort("in").send(packet("a")), TransactionStep.FIND_PEER, FailureReason.TLS_FAILED);
    }

    @Test
    void aSiteThatCannotBeAskedFailsWithItsCause() throws IOException {
        final TransactionException failure = assertFails(
                byUrl("http://127.0.0.1:" + nobody() + "/nifi")
                        .inputPort("in")
                        .withRetry(RetryPolicy.never())
                        .send(packet("a")),
                TransactionStep.FIND_PEER,
                FailureReason.NO_PEER);
        assertTrue(failure.getMessage().contains("ConnectException"), failure.getMessage());
    }

    @Test
    void oneUrlOfSeveralIsEnough() throws Exception {
        final SiteToSite nifi = opened(
                SiteToSite.builder().url("http://127.0.0.1:" + nobody() + "/nifi", answering(403, ""), site.url()));
        assertEquals(1, Outcomes.await(nifi.inputPort("in").send(packet("a"))).packets());
    }

    @Test
    void anHttpProxyLeadsToTheRestApiToo() throws Exception {
        // What is asked of a proxy has the same path as what it asks for.
        final RestSite asked = new RestSite(
                Set.of("http://127.0.0.1:" + nobody() + "/nifi"),
                null,
                PeerProxy.of(PeerProxy.Kind.HTTP, "localhost", site.port()),
                Outcomes.NEVER,
                Runnable::run);
        assertEquals(server.port(), asked.ask().rawPort());
    }

    @Test
    void manySendsWhileNiFiIsDownAskItSeldom() throws Exception {
        final AtomicInteger connections = new AtomicInteger();
        try (ServerSocket refusing = new ServerSocket(0, MANY, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    while (true) {
                        refusing.accept().close();
                        connections.incrementAndGet();
                    }
                } catch (final IOException e) {
                    // The test is over.
                }
            });
            final long begunNanos = System.nanoTime();
            final SiteToSite nifi = byUrl("http://127.0.0.1:" + refusing.getLocalPort() + "/nifi");
            final AtomicInteger failures = new AtomicInteger();
            final InputPort in = nifi.inputPort("in").withRetry(RetryPolicy.never());
            await().until(() -> {
                for (int i = 0; i < MANY; i++) {
                    Outcomes.failureOf(in.send(packet("a")));
                }
                return failures.addAndGet(MANY) > 1_000;
            });
            // It asks every two seconds at most; an ask may take more than one connection.
            final long seconds =
                    Duration.ofNanos(System.nanoTime() - begunNanos).toSeconds();
            assertTrue(connections.get() < 30 + 10 * seconds, "asked " + connections + " times in " + seconds + " s");
        }
    }

    @Test
    void aPortThatIsNotThereIsAskedForSeldomAndFoundWhenItIsMade() throws Exception {
        final AtomicInteger asked = new AtomicInteger();
        final AtomicInteger exists = new AtomicInteger();
        final HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/nifi-api/site-to-site", exchange -> {
            asked.incrementAndGet();
            final String name = exists.get() == 0 ? "other" : "in";
            final byte[] body = ("{\"controller\":{\"inputPorts\":[{\"id\":\"port-id\",\"name\":\"" + name
                            + "\"}],\"remoteSiteListeningPort\":" + server.port() + ",\"siteToSiteSecure\":false}}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        http.start();
        open.add(() -> http.stop(0));
        final SiteToSite nifi = byUrl("http://127.0.0.1:" + http.getAddress().getPort() + "/nifi");
        for (int i = 0; i < MANY; i++) {
            assertFails(nifi.inputPort("in").send(packet("a")), TransactionStep.FIND_PEER, FailureReason.UNKNOWN_PORT);
        }
        assertTrue(asked.get() < MANY / 2, "asked " + asked);
        exists.set(1);
        await().until(() -> nifi.inputPort("in")
                .withRetry(RetryPolicy.never())
                .send(packet("b"))
                .handle((done, failure) -> done != null)
                .join());
    }

    @Test
    void peersAreAskedForOncePerSiteAndNoPortHoldsAThread() throws Exception {
        final SiteToSite nifi = byUrl(site.url());
        for (int i = 0; i < MANY; i++) {
            nifi.inputPort("port " + i);
        }
        Outcomes.await(nifi.inputPort("in").send(packet("a")));
        assertEquals(1, site.asked.get());
        await().until(() -> threads("s2s-client-") <= 3);
    }

    @Test
    void clientsInPlaceOfNifisHoldNoThread() throws Exception {
        for (int i = 0; i < MANY; i++) {
            final SiteToSiteClient client =
                    new NioSiteToSiteClient(site.client("in").buildConfig());
            open.add(client);
            client.createTransaction(TransferDirection.SEND).cancel("enough");
        }
        await().atMost(Outcomes.NEVER).until(() -> threads("s2s-client-") <= 3);
    }

    private static long threads(final String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(name))
                .count();
    }

    @Test
    void aNodeWhosePortIsNoneIsPassedOver() throws Exception {
        server.peers.put("localhost", new int[] {0, 5});
        server.peers.put("localhost.", new int[] {70_000, 5});
        final SiteToSite nifi = byUrl(site.url());
        for (int i = 0; i < MANY; i++) {
            Outcomes.await(nifi.inputPort("in").send(packet("a" + i)));
        }
        assertEquals(MANY, server.committed.size());
    }

    @Test
    void aListOfNodesThatCannotBeConnectedToIsAFailureThatNamesThem() {
        server.peers.clear();
        server.peers.put("node\nname", new int[] {0, 5});
        final TransactionException failure = assertFails(
                byUrl(site.url()).inputPort("in").withRetry(RetryPolicy.never()).send(packet("a")),
                TransactionStep.FIND_PEER,
                FailureReason.NO_PEER);
        assertTrue(failure.getMessage().contains("node?name:0"), failure.getMessage());
    }

    @Test
    void whatWasKnownServesWhileTheSiteCannotBeAsked() throws Exception {
        final SiteToSite nifi = byUrl(site.url());
        Outcomes.await(nifi.inputPort("in").send(packet("a")));
        site.close();
        // A port that nobody knows makes it ask again, which fails now.
        final CopyOnWriteArrayList<FailureReason> reasons = new CopyOnWriteArrayList<>();
        await().until(() -> {
            reasons.add(Outcomes.failureOf(nifi.inputPort("none")
                            .withRetry(RetryPolicy.never())
                            .send(packet("b")))
                    .reason());
            return reasons.contains(FailureReason.NO_PEER);
        });
        assertEquals(1, Outcomes.await(nifi.inputPort("in").send(packet("c"))).packets());
    }

    @Test
    void aBlankNameIsRefused() {
        final SiteToSite nifi = byUrl(site.url());
        assertThrows(IllegalArgumentException.class, () -> nifi.inputPort(""));
        assertThrows(IllegalArgumentException.class, () -> nifi.outputPort("  "));
        assertThrows(IllegalArgumentException.class, () -> SiteToSite.builder().address(" ", 1));
    }

    @Test
    void aPortAfterTheCloseAsksNobody() {
        final SiteToSite nifi = byUrl(site.url());
        nifi.close();
        final int before = site.asked.get();
        final CompletableFuture<TransactionResult> late = nifi.inputPort("late").send(packet("a"));
        assertEquals(FailureReason.CLIENT_CLOSED, Outcomes.failureOf(late).reason());
        assertEquals(before, site.asked.get());
        assertFalse(threads("s2s-client-peers") > 0);
    }
}
