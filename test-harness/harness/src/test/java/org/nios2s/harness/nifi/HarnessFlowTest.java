// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.HarnessException;

/** The flow of a NiFi that somebody has changed, with a small web server in its place. Runs on the test's thread. */
@Timeout(60)
class HarnessFlowTest {

    private static final byte[] EMPTY_FLOW =
            "{\"processGroupFlow\":{\"id\":\"root\",\"flow\":{\"processors\":[]}}}".getBytes(StandardCharsets.UTF_8);

    @Test
    void aDeletedSinkIsNamed() throws IOException {
        final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, EMPTY_FLOW.length);
            exchange.getResponseBody().write(EMPTY_FLOW);
            exchange.close();
        });
        server.start();
        try (RestClient rest =
                new RestClient("http://127.0.0.1:" + server.getAddress().getPort() + "/nifi-api", null)) {
            final HarnessFlow changed = new HarnessFlow(new FlowClient(rest));
            final HarnessException failure =
                    assertThrows(HarnessException.class, () -> changed.keep(HarnessFlow.PARCEL_FILE, "parcels"));
            assertEquals(
                    "The processor 'sink' was deleted from this NiFi's flow. 'nifi stop' and 'nifi start' make it again",
                    failure.getMessage());
        } finally {
            server.stop(0);
        }
    }
}
