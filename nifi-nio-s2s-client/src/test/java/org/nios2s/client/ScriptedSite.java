// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.nifi.remote.client.SiteToSiteClient;

/** The REST API of a NiFi, as far as Site-to-Site clients ask it. Lives on the JDK's HTTP server. */
public final class ScriptedSite implements AutoCloseable {
    private static final int OK = 200;

    private final HttpServer http;
    public final AtomicInteger asked = new AtomicInteger();

    public ScriptedSite(final int rawPort) throws IOException {
        this(rawPort, false);
    }

    public ScriptedSite(final int rawPort, final boolean secure) throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        final byte[] controller = """
                {"revision":{"version":0},"controller":{"id":"site","name":"scripted",
                "inputPorts":[{"id":"port-id","name":"in"}],"outputPorts":[{"id":"port-id","name":"out"},
                {"id":"port-in-out","name":"in"}],
                "remoteSiteListeningPort":%d,"siteToSiteSecure":%b}}""".formatted(rawPort, secure).getBytes();
        http.createContext("/nifi-api/site-to-site", exchange -> {
            asked.incrementAndGet();
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(OK, controller.length);
            exchange.getResponseBody().write(controller);
            exchange.close();
        });
        http.start();
    }

    public int port() {
        return http.getAddress().getPort();
    }

    public String url() {
        return "http://127.0.0.1:" + port() + "/nifi";
    }

    /**
     * How a client reaches the port of a name through this site. NiFi's REST client keeps what a URL answered for all
     * clients of the JVM: without an expiration an earlier site that had the same port of the machine would answer.
     */
    public SiteToSiteClient.Builder client(final String portName) {
        return new SiteToSiteClient.Builder()
                .url(url())
                .cacheExpiration(0, TimeUnit.MILLISECONDS)
                .portName(portName)
                .timeout(Outcomes.NEVER.toSeconds(), TimeUnit.SECONDS)
                .nodePenalizationPeriod(1, TimeUnit.MINUTES);
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
