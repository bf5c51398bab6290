// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.site;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import org.nios2s.client.Direction;
import org.nios2s.client.PeerProxy;

/**
 * Asks a NiFi's REST API by Java's own HTTP client, one URL after the other until a node with a RAW port answers. Immutable;
 * blocks the thread that asks.
 */
public final class RestSite implements SiteDetails.Source {
    private static final String RESOURCE = "/site-to-site";
    private static final String UI = "/nifi";
    private static final String API = "/nifi-api";
    private static final int OK = 200;
    private static final int MOST_BYTES = 64 << 20;
    private static final int HIGHEST_TCP_PORT = 65_535;

    private final List<String> urls;
    private final SSLContext tls;
    private final ProxySelector proxies;
    private final Duration timeout;
    private final Executor executor;

    /**
     * @param tls null for Java's own trust and no certificate
     * @param proxy only one of HTTP serves here; null, or another, for what the JVM says
     * @param timeout of each question
     * @param executor runs the HTTP client's tasks
     */
    public RestSite(
            final Set<String> urls,
            final SSLContext tls,
            final PeerProxy proxy,
            final Duration timeout,
            final Executor executor) {
        this.urls = List.copyOf(urls);
        this.tls = tls;
        this.proxies = proxy != null && proxy.kind() == PeerProxy.Kind.HTTP
                ? ProxySelector.of(InetSocketAddress.createUnresolved(proxy.host(), proxy.port()))
                : ProxySelector.getDefault();
        this.timeout = timeout;
        this.executor = executor;
    }

    /**
     * Finds the REST API beside the user interface.
     *
     * @param url what is seen in the browser, with or without its path
     * @return the API's resource for Site-to-Site
     * @throws IllegalArgumentException if it is no URL of a NiFi
     */
    public static URI api(final String url) {
        try {
            final URI seen = new URI(url.trim());
            final String scheme = String.valueOf(seen.getScheme()).toLowerCase(Locale.ROOT);
            final boolean usable = seen.getHost() != null && seen.getPort() <= HIGHEST_TCP_PORT && seen.getPort() != 0;
            if (usable && (scheme.equals("http") || scheme.equals("https"))) {
                return new URI(scheme, null, seen.getHost(), seen.getPort(), path(seen.getPath()), null, null);
            }
        } catch (final URISyntaxException e) {
            throw noUrl(url, e);
        }
        throw noUrl(url, null);
    }

    private static IllegalArgumentException noUrl(final String url, final Exception cause) {
        return new IllegalArgumentException(
                "'" + url + "' is no URL of a NiFi: write it as in the browser, such as https://host:8443/nifi", cause);
    }

    private static String path(final String seen) {
        final String path = seen.endsWith("/") ? seen.substring(0, seen.length() - 1) : seen;
        if (path.endsWith(API)) {
            return path + RESOURCE;
        }
        final String context = path.endsWith(UI) ? path.substring(0, path.length() - UI.length()) : path;
        return context + API + RESOURCE;
    }

    @Override
    public String name() {
        return String.join(",", urls);
    }

    @Override
    public SiteDetails ask() throws IOException, InterruptedException {
        final HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .connectTimeout(timeout)
                .executor(executor);
        if (tls != null) {
            builder.sslContext(tls);
        }
        if (proxies != null) {
            builder.proxy(proxies);
        }
        IOException failure = null;
        SiteDetails httpOnly = null;
        // It has a thread of its own while it lives: so it lives for one question.
        try (HttpClient http = builder.build()) {
            for (final String url : urls) {
                try {
                    final SiteDetails details = ask(http, api(url));
                    if (details.rawPort() != null) {
                        return details;
                    }
                    httpOnly = details;
                } catch (final IOException e) {
                    failure = worse(failure, e);
                }
            }
            http.shutdownNow();
        }
        // A node that can't be asked now may have a RAW port.
        if (httpOnly != null && (failure == null || !Site.reason(failure).isTransient())) {
            return httpOnly;
        }
        throw failure;
    }

    /** What may pass by itself is told rather than what does not: the next question may be answered. */
    private static IOException worse(final IOException before, final IOException next) {
        if (before == null) {
            return next;
        }
        final boolean beforeStays = !Site.reason(before).isTransient();
        final IOException told = beforeStays ? next : before;
        told.addSuppressed(beforeStays ? before : next);
        return told;
    }

    private SiteDetails ask(final HttpClient http, final URI api) throws IOException, InterruptedException {
        final HttpRequest request = HttpRequest.newBuilder(api)
                .timeout(timeout)
                .header("Accept", "application/json")
                .build();
        final HttpResponse<InputStream> response;
        try {
            response = http.send(request, BodyHandlers.ofInputStream());
        } catch (final IOException e) {
            throw Site.named(api + " can't be asked: " + e, e);
        }
        try (InputStream body = response.body()) {
            if (response.statusCode() != OK) {
                throw new RestException(refusal(api, response.statusCode()), response.statusCode());
            }
            final String text = new String(body.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
            return details(response.uri(), Json.read(text));
        } catch (final IllegalArgumentException | ClassCastException e) {
            throw new IOException(api + " does not answer as a NiFi does: " + e.getMessage(), e);
        }
    }

    private static String refusal(final URI api, final int status) {
        final String said = api + " answers with HTTP status " + status;
        return new RestException(said, status).isUnauthorized()
                ? said + ": the certificate's identity needs the policy \"retrieve site-to-site details\""
                : said + "; is it the address of a NiFi?";
    }

    private static SiteDetails details(final URI asked, final Object answer) {
        final Map<?, ?> controller = (Map<?, ?>) field(answer, "controller");
        if (controller == null) {
            throw new IllegalArgumentException("it tells of no controller");
        }
        final Map<Direction, Map<String, String>> ports = new EnumMap<>(Direction.class);
        ports.put(Direction.SEND, ports(field(controller, "inputPorts")));
        ports.put(Direction.RECEIVE, ports(field(controller, "outputPorts")));
        final Object rawPort = field(controller, "remoteSiteListeningPort");
        return new SiteDetails(
                asked.getHost(),
                rawPort == null ? null : ((Double) rawPort).intValue(),
                Boolean.TRUE.equals(field(controller, "siteToSiteSecure")),
                ports);
    }

    private static Object field(final Object object, final String name) {
        return ((Map<?, ?>) object).get(name);
    }

    private static Map<String, String> ports(final Object list) {
        final Map<String, String> ports = new LinkedHashMap<>();
        if (list != null) {
            for (final Object port : (List<?>) list) {
                ports.put((String) field(port, "name"), (String) field(port, "id"));
            }
        }
        return ports;
    }
}
