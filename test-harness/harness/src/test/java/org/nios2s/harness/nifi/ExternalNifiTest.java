// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.TargetAddress;

/** How the RAW port of a NiFi is found by its web address, with a small web server in its place. */
@Timeout(60)
class ExternalNifiTest {

    private static final String TWO_PORTS =
            "\"inputPorts\":[{\"id\":\"id-1\",\"name\":\"orders\"},{\"id\":\"id-2\",\"name\":\"events\"}]";

    private HttpServer server;
    private volatile String answer;
    private volatile int status = 200;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/nifi-api/site-to-site", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void theRawPortAndTheInputPortAreFound() {
        answer = controller("10443", "false", TWO_PORTS);

        for (final String path : new String[] {"", "/", "/nifi", "/nifi/", "/nifi-api"}) {
            final ExternalNifi.RawSocket socket =
                    ExternalNifi.at(web() + path, null).find("events", Direction.PUSH);
            assertEquals(
                    new TargetAddress("127.0.0.1", 10443, "id-2", java.net.URI.create(web() + "/nifi")),
                    socket.address());
        }
    }

    @Test
    void theOnlyInputPortNeedsNoName() {
        answer = controller("10443", "false", "\"inputPorts\":[{\"id\":\"id-1\",\"name\":\"orders\"}]");

        assertEquals(
                "id-1",
                ExternalNifi.at(web(), null)
                        .find(null, Direction.PUSH)
                        .address()
                        .portId());
    }

    @Test
    void ofTwoPortsOfOneNameTheIdentifierTellsWhich() {
        answer = controller(
                "10443",
                "false",
                "\"inputPorts\":[{\"id\":\"id-1\",\"name\":\"orders\"},{\"id\":\"id-2\",\"name\":\"orders\"}]");

        assertRefused("with one of their identifiers, id-1, id-2", "orders");
        assertEquals(
                "id-2",
                ExternalNifi.at(web(), null)
                        .find("id-2", Direction.PUSH)
                        .address()
                        .portId());
    }

    @Test
    void anUnknownPortIsRefusedWithTheKnownOnes() {
        answer = controller("10443", "false", TWO_PORTS);

        assertRefused("has no input port 'order' that this client may use; there are: events, orders", "order");
        assertRefused("--port-name has to name an input port", null);
    }

    @Test
    void aNifiWithoutRawPortIsRefused() {
        answer = controller("null", "false", TWO_PORTS);

        assertRefused("has no RAW Site-to-Site port", "orders");
    }

    @Test
    void aSecuredRawPortNeedsStores() {
        answer = controller("10443", "true", TWO_PORTS);

        assertRefused("is secured: give --key-store", "orders");
    }

    @Test
    void whatIsNoNifiIsSaidToBeNone() {
        answer = "{}";
        assertRefused("is not a NiFi", "orders");

        status = 403;
        assertRefused("does not list its Site-to-Site ports (NiFi answered GET /site-to-site with 403", "orders");

        server.stop(0);
        assertRefused("No NiFi answers at " + web(), "orders");
    }

    @Test
    void aBadAddressIsRefused() {
        for (final String bad : new String[] {"localhost:8080", "ftp://x/nifi", "http://", "http://a b/", ""}) {
            final IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> ExternalNifi.at(bad, null));
            assertTrue(refusal.getMessage().contains("is not a web address of a NiFi"), refusal.getMessage());
        }
    }

    private void assertRefused(final String message, final String portName) {
        final HarnessException refusal = assertThrows(
                HarnessException.class, () -> ExternalNifi.at(web(), null).find(portName, Direction.PUSH));
        assertTrue(refusal.getMessage().contains(message), refusal.getMessage());
    }

    private static String controller(final String rawPort, final String secure, final String ports) {
        return "{\"controller\":{\"remoteSiteListeningPort\":%s,\"siteToSiteSecure\":%s,%s}}"
                .formatted(rawPort, secure, ports);
    }

    private String web() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(final HttpExchange exchange) throws IOException {
        final byte[] body = answer.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }
}
