// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nios2s.harness.load.ClientLoadGenerator;
import org.nios2s.harness.load.LoadClientContract;
import org.nios2s.harness.load.LoadGenerator;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadServer;
import org.nios2s.harness.load.LoadServer.Script;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.TargetAddress;

/**
 * The load of NiFi's own client, against a scripted server on loopback and as much of a REST API as that client asks for. Runs
 * on the test's thread; the REST API has one of its own.
 */
class NifiLoadClientTest extends LoadClientContract {

    private static final String SITE = """
            {"controller": {"id": "site", "remoteSiteListeningPort": %d, "siteToSiteSecure": false,
             "inputPorts": [{"id": "%s", "name": "input"}], "outputPorts": []}}
            """;

    private final List<HttpServer> restApis = new ArrayList<>();

    @AfterEach
    void stopRestApis() {
        restApis.forEach(api -> api.stop(0));
    }

    @Test
    void everyClientSendsItsTransactionsAndEachPhaseIsTimed() throws Exception {
        try (LoadServer server = new LoadServer(Script.FAITHFUL)) {
            final LoadGenerator generator = load(settings(3, 4, Duration.ZERO, PATIENCE, 10), server.port());
            final LoadOutcome outcome = generator.drive();

            assertEquals(12, outcome.successes());
            assertEquals(Map.of(), outcome.totals().failures());
            assertEquals(12 * 2, new HashSet<>(server.packetIds()).size());
            assertEquals(12 * 2, server.packetIds().size());
            final Map<Phase, Histogram> times = generator.recorder().tick();
            for (final Phase phase : new Phase[] {Phase.CREATE, Phase.SEND, Phase.CONFIRM, Phase.COMPLETE}) {
                assertEquals(12, times.get(phase).getTotalCount(), phase::name);
            }
        }
    }

    @Test
    void aFailureIsCountedByItsCause() throws Exception {
        assertOnlyFailure(Script.SILENT_INSTEAD_OF_CONFIRMATION, SHORT, "time-out while with NiFi's client");
        assertFailures(Script.WRONG_CHECKSUM, PATIENCE, "IOException: SocketClientTransaction");
        assertFailures(Script.CLOSE_INSTEAD_OF_FINISHING, PATIENCE, "Exception");
        assertFailures(Script.GARBAGE_INSTEAD_OF_CONFIRMATION, SHORT, "Exception");
    }

    /** Both transactions of a client fail, and are counted under NiFi's own words for it, which begin so. */
    private void assertFailures(final Script script, final Duration timeout, final String words) throws Exception {
        try (LoadServer server = new LoadServer(script)) {
            final LoadOutcome outcome = drive(server, settings(1, 2, Duration.ZERO, timeout, 10));

            assertEquals(2, outcome.failed(), script::name);
            assertEquals(0, outcome.successes(), script::name);
            assertEquals(
                    2,
                    outcome.totals().failures().values().stream()
                            .mapToLong(Long::longValue)
                            .sum());
            assertTrue(
                    outcome.totals().failures().keySet().stream().allMatch(cause -> cause.contains(words)),
                    outcome.totals().failures()::toString);
        }
    }

    @Test
    void withoutTheWebAddressItIsRefused() {
        final LoadSettings settings = settings(1, 1, Duration.ZERO, PATIENCE, 10);
        final IllegalArgumentException refusal = assertThrows(
                IllegalArgumentException.class, () -> NifiLoadClient.transport("run", settings, address(1), null));

        assertTrue(refusal.getMessage().contains("web address"), refusal::getMessage);
    }

    @Override
    protected LoadGenerator load(final LoadSettings settings, final int port) {
        final TargetAddress target = new TargetAddress(
                InetAddress.getLoopbackAddress().getHostAddress(), port, LoadServer.PORT_ID, restApi(port));
        return new ClientLoadGenerator("run", settings, () -> NifiLoadClient.transport("run", settings, target, null));
    }

    /** The address of a REST API that says where RAW Site-to-Site is. */
    private URI restApi(final int port) {
        try {
            final HttpServer api = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            restApis.add(api);
            final byte[] site = SITE.formatted(port, LoadServer.PORT_ID).getBytes(StandardCharsets.UTF_8);
            api.createContext("/nifi-api/site-to-site", exchange -> {
                exchange.getResponseHeaders().add("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, site.length);
                try (OutputStream body = exchange.getResponseBody()) {
                    body.write(site);
                }
            });
            api.start();
            return URI.create("http://127.0.0.1:" + api.getAddress().getPort() + "/nifi");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
