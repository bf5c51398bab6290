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
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nios2s.client.internal.site.PeerStore;
import org.nios2s.client.internal.site.PortSettings;
import org.nios2s.client.internal.site.RestSite;
import org.nios2s.client.internal.site.Site;
import org.nios2s.client.internal.site.SiteDetails;
import org.nios2s.client.internal.transaction.Engine;

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
        return opened(NioSiteToSite.builder().url(url));
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
                IllegalArgumentException.class, () -> NioSiteToSite.builder().url(url));
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
        final SiteToSite nifi = opened(NioSiteToSite.builder().url(answering(200, HTTP_ONLY), site.url()));
        assertEquals(1, Outcomes.await(nifi.inputPort("in").send(packet("a"))).packets());
    }

    @Test
    void aDeadNodeBesideOneWithoutARawPortMayComeBack() throws IOException {
        final SiteToSite nifi = opened(
                NioSiteToSite.builder().url(answering(200, HTTP_ONLY), "http://127.0.0.1:" + nobody() + "/nifi"));
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
        final SiteToSite nifi = opened(NioSiteToSite.builder()
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
                NioSiteToSite.builder().url("http://127.0.0.1:" + nobody() + "/nifi", answering(403, ""), site.url()));
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
                Outcomes.NEVER,
                Runnable::run);
        assertEquals(server.port(), asked.ask().rawPort());
    }

    /** Of its first answers only the beginning comes. */
    private String stalling(final int answers) throws IOException {
        final HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        final AtomicInteger asked = new AtomicInteger();
        final CountDownLatch over = new CountDownLatch(1);
        final ExecutorService threads = Executors.newCachedThreadPool();
        http.setExecutor(threads);
        http.createContext("/nifi-api/site-to-site", exchange -> {
            final byte[] body = controllerWith("in");
            exchange.sendResponseHeaders(200, body.length);
            if (asked.incrementAndGet() <= answers) {
                exchange.getResponseBody().write(body, 0, 10);
                exchange.getResponseBody().flush();
                try {
                    over.await();
                } catch (final InterruptedException e) {
                    return;
                }
            }
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        http.start();
        open.add(() -> {
            over.countDown();
            http.stop(0);
            threads.shutdownNow();
        });
        return "http://127.0.0.1:" + http.getAddress().getPort() + "/nifi";
    }

    private byte[] controllerWith(final String inputPort) {
        return ("{\"controller\":{\"inputPorts\":[{\"id\":\"port-id\",\"name\":\"" + inputPort
                        + "\"}],\"remoteSiteListeningPort\":" + server.port() + ",\"siteToSiteSecure\":false}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private SiteToSite.Builder hasty() {
        return NioSiteToSite.builder().idleTimeout(Duration.ofSeconds(1)).deliveryTimeout(Duration.ofSeconds(20));
    }

    @Test
    void anAnswerThatStallsInItsMiddleIsAskedForAgain() throws Exception {
        final SiteToSite nifi = opened(hasty().url(stalling(1)));
        assertEquals(1, Outcomes.await(nifi.inputPort("in").send(packet("a"))).packets());
    }

    @Test
    void theSecondUrlServesWhileTheAnswerOfTheFirstStalls() throws Exception {
        final SiteToSite nifi = opened(hasty().url(stalling(Integer.MAX_VALUE), site.url()));
        assertEquals(1, Outcomes.await(nifi.inputPort("in").send(packet("a"))).packets());
    }

    @Test
    void anErrorWhileTheSiteIsAskedIsAnAnswer() {
        try (Engine engine = new Engine();
                Site asked = new Site(
                        engine,
                        new SiteDetails.Source() {
                            @Override
                            public String name() {
                                return "planned";
                            }

                            @Override
                            public SiteDetails ask() {
                                throw new OutOfMemoryError("planned");
                            }
                        },
                        new PortSettings(null, null, false, Duration.ofSeconds(30), BatchLimits.none()),
                        PeerStore.NONE)) {
            final CompletableFuture<Site.Known> answer = asked.current();
            final ExecutionException failure =
                    assertThrows(ExecutionException.class, () -> answer.get(20, TimeUnit.SECONDS));
            assertTrue(failure.getMessage().contains("planned"), failure.getMessage());
        }
    }

    /** A source that says nothing, not even to an interrupt. */
    @Test
    void aSiteThatNeverEndsToAnswerIsGivenUpAndAskedAgain() throws Exception {
        final AtomicInteger times = new AtomicInteger();
        final CountDownLatch over = new CountDownLatch(1);
        open.add(over::countDown);
        final SiteDetails.Source source = new SiteDetails.Source() {
            @Override
            public String name() {
                return "planned";
            }

            @Override
            public SiteDetails ask() throws IOException {
                if (times.incrementAndGet() == 1) {
                    while (over.getCount() > 0) {
                        LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
                    }
                }
                throw new IOException("asked again");
            }
        };
        final PortSettings settings = new PortSettings(null, null, false, Duration.ofMillis(100), BatchLimits.none());
        try (Engine engine = new Engine();
                Site asked = new Site(engine, source, settings, PeerStore.NONE)) {
            final CompletableFuture<Site.Known> first = asked.current();
            assertThrows(ExecutionException.class, () -> first.get(20, TimeUnit.SECONDS));
            await().until(() -> asked.current()
                    .handle((known, failure) -> String.valueOf(failure))
                    .get(20, TimeUnit.SECONDS)
                    .contains("asked again"));
        }
    }

    @Test
    void aPortThatNobodyKnowsIsAskedForSeldomWhileTheSiteIsDown() throws Exception {
        final AtomicInteger asked = new AtomicInteger();
        final AtomicBoolean down = new AtomicBoolean();
        final HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/nifi-api/site-to-site", exchange -> {
            asked.incrementAndGet();
            final byte[] body = controllerWith("in");
            exchange.sendResponseHeaders(down.get() ? 503 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        http.start();
        open.add(() -> http.stop(0));
        final SiteToSite nifi = byUrl("http://127.0.0.1:" + http.getAddress().getPort() + "/nifi");
        Outcomes.await(nifi.inputPort("in").send(packet("a")));
        down.set(true);
        final InputPort none = nifi.inputPort("none").withRetry(RetryPolicy.never());
        await().until(() -> Outcomes.failureOf(none.send(packet("b"))).reason() == FailureReason.NO_PEER);
        final int before = asked.get();
        for (int i = 0; i < MANY * 4; i++) {
            assertFails(none.send(packet("c")), TransactionStep.FIND_PEER, FailureReason.NO_PEER);
        }
        assertTrue(asked.get() - before < MANY, "asked " + (asked.get() - before));
    }

    /** What is asked of a proxy has the same path as what it asks for. */
    private int askingProxy() throws IOException {
        final HttpServer proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        final String known =
                "Basic " + Base64.getEncoder().encodeToString("user:s\u00e9cret".getBytes(StandardCharsets.UTF_8));
        proxy.createContext("/", exchange -> {
            final byte[] body = controllerWith("in");
            final boolean let = known.equals(exchange.getRequestHeaders().getFirst("Proxy-Authorization"));
            if (!let) {
                exchange.getResponseHeaders().add("Proxy-Authenticate", "Basic realm=\"gate\"");
            }
            exchange.sendResponseHeaders(let ? 200 : 407, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        proxy.start();
        open.add(() -> proxy.stop(0));
        return proxy.getAddress().getPort();
    }

    @Test
    void anHttpProxyLearnsNameAndPasswordAlsoForTheRestApi() throws Exception {
        final RestSite asked = new RestSite(
                Set.of("http://127.0.0.1:" + nobody() + "/nifi"),
                null,
                PeerProxy.of(PeerProxy.Kind.HTTP, "localhost", askingProxy()).withUser("user", "s\u00e9cret"),
                Outcomes.NEVER,
                Outcomes.NEVER,
                Runnable::run);
        assertEquals(server.port(), asked.ask().rawPort());
    }

    @Test
    void aProxyThatWantsToKnowTheUserIsSaidToAtOnce() throws Exception {
        final TransactionException failure = assertFails(
                opened(NioSiteToSite.builder()
                                .url("http://127.0.0.1:" + nobody() + "/nifi")
                                .proxy(PeerProxy.of(PeerProxy.Kind.HTTP, "localhost", askingProxy())))
                        .inputPort("in")
                        .send(packet("a")),
                TransactionStep.FIND_PEER,
                FailureReason.UNAUTHORIZED);
        assertTrue(failure.getMessage().contains("proxy asks for a user"), failure.getMessage());
    }

    /** Java sends no password to a proxy on the way to HTTPS unless it is told to. */
    @Test
    void aProxyOnTheWayToHttpsThatIsNotToldTheUserIsNoRiddle() throws Exception {
        try (ScriptedProxy proxy =
                new ScriptedProxy(PeerProxy.Kind.HTTP, ScriptedProxy.Manner.ASKS_FOR_PASSWORD, site.port())) {
            final TransactionException failure = assertFails(
                    opened(NioSiteToSite.builder()
                                    .url("https://127.0.0.1:" + nobody() + "/nifi")
                                    .proxy(PeerProxy.of(PeerProxy.Kind.HTTP, "127.0.0.1", proxy.port())
                                            .withUser("user", "secret")))
                            .inputPort("in")
                            .send(packet("a")),
                    TransactionStep.FIND_PEER,
                    FailureReason.UNAUTHORIZED);
            assertTrue(failure.getMessage().contains("jdk.http.auth.tunneling.disabledSchemes"), failure.getMessage());
        }
    }

    @Test
    void aHostNameOfThePeerListThatIsTooLongIsRefusedBeforeItHasArrived() throws Exception {
        server.insteadOfPeers(wire -> {
            wire.out.writeInt(1);
            wire.out.writeShort(60_000);
            wire.out.flush();
            return server.stall().happen(wire);
        });
        final TransactionException failure = assertFails(
                byUrl(site.url()).inputPort("in").withRetry(RetryPolicy.never()).send(packet("a")),
                TransactionStep.FIND_PEER,
                FailureReason.NO_PEER);
        assertTrue(failure.getMessage().contains("60000"), failure.getMessage());
    }

    @Test
    void aPeerListThatComesByteByByteIsRead() throws Exception {
        final ByteArrayOutputStream list = new ByteArrayOutputStream();
        final DataOutputStream out = new DataOutputStream(list);
        out.writeInt(2);
        for (final String host : List.of("127.0.0.1", "localhost")) {
            out.writeUTF(host);
            out.writeInt(server.port());
            out.writeBoolean(false);
            out.writeInt(5);
        }
        server.insteadOfPeers(wire -> {
            for (final byte each : list.toByteArray()) {
                wire.out.write(each);
                wire.out.flush();
            }
            return true;
        });
        final SiteToSite nifi = byUrl(site.url());
        assertEquals(1, Outcomes.await(nifi.inputPort("in").send(packet("a"))).packets());
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

    @ParameterizedTest
    @ValueSource(strings = {"node\u001b[2J", "node name", "node\u202e"})
    void aNodeWhoseNameIsNotPrintableIsNotConnectedTo(final String name) {
        server.peers.clear();
        server.peers.put(name, new int[] {server.port(), 5});
        final TransactionException failure = assertFails(
                byUrl(site.url()).inputPort("in").withRetry(RetryPolicy.never()).send(packet("a")),
                TransactionStep.FIND_PEER,
                FailureReason.NO_PEER);
        assertTrue(failure.getMessage().contains(name.replaceAll("[^\\p{Graph}]", "?") + ":"), failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"\\u\n\n\n\n\"", "1e1e1\u001b", "1e1e1e1e1"})
    void anAnswerOfTheSiteMakesNoLineOfAMessage(final String value) throws IOException {
        final TransactionException failure = assertFails(
                byUrl(answering(200, "{\"controller\":" + value + "}"))
                        .inputPort("in")
                        .withRetry(RetryPolicy.never())
                        .send(packet("a")),
                TransactionStep.FIND_PEER,
                FailureReason.NO_PEER);
        assertTrue(failure.getMessage().chars().noneMatch(Character::isISOControl), failure.getMessage());
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
        assertThrows(
                IllegalArgumentException.class, () -> NioSiteToSite.builder().address(" ", 1));
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
