// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.site;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.nios2s.client.Direction;
import org.nios2s.client.PeerProxy;
import org.nios2s.client.internal.connection.NewerJava;

/**
 * Asks a NiFi's REST API by Java's own HTTP client, one URL after the other until a node with a RAW port answers. Any
 * thread, which it blocks while it asks.
 *
 * <p>Each URL has its time, from the connection to the last byte of the answer. The one that answered last is asked first.
 */
public final class RestSite implements SiteDetails.Source {
    private static final String RESOURCE = "/site-to-site";
    private static final String UI = "/nifi";
    private static final String API = "/nifi-api";
    private static final int OK = 200;
    private static final int MOST_BYTES = 64 << 20;
    private static final int HIGHEST_TCP_PORT = 65_535;
    /** Of what Java's HTTP client can count with; longer is for ever. */
    private static final Duration LONGEST = Duration.ofDays(1);

    private final List<String> urls;
    private final SSLContext tls;
    private final ProxySelector proxies;
    private final String proxyAuthorization;
    private final Duration connectTimeout;
    private final Duration timeout;
    private final Executor executor;
    private volatile int first;

    /**
     * @param tls null for Java's own trust and no certificate
     * @param proxy only one of HTTP serves here; null, or another, for what the JVM says
     * @param connectTimeout of each question, if it is shorter
     * @param timeout of each question and its whole answer
     * @param executor runs the HTTP client's tasks
     */
    public RestSite(
            final Set<String> urls,
            final SSLContext tls,
            final PeerProxy proxy,
            final Duration connectTimeout,
            final Duration timeout,
            final Executor executor) {
        this.urls = List.copyOf(urls);
        this.tls = tls;
        if (proxy != null && proxy.kind() == PeerProxy.Kind.HTTP) {
            this.proxies = ProxySelector.of(InetSocketAddress.createUnresolved(proxy.host(), proxy.port()));
            this.proxyAuthorization = authorization(proxy);
        } else {
            this.proxies = ProxySelector.getDefault();
            this.proxyAuthorization = null;
        }
        this.timeout = shorter(timeout, LONGEST);
        this.connectTimeout = shorter(connectTimeout, this.timeout);
        this.executor = executor;
    }

    private static Duration shorter(final Duration one, final Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static String authorization(final PeerProxy proxy) {
        if (proxy.user() == null) {
            return null;
        }
        final String known = proxy.user() + ":" + Objects.requireNonNullElse(proxy.password(), "");
        return "Basic " + Base64.getEncoder().encodeToString(known.getBytes(StandardCharsets.UTF_8));
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
                "'" + url + "' is not a URL of a NiFi: write it as in the browser, such as https://host:8443/nifi",
                cause);
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
                .connectTimeout(connectTimeout)
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
        final HttpClient http = builder.build();
        try {
            for (int i = 0; i < urls.size(); i++) {
                // If what asks is given up meanwhile, the next question does not begin with the same URL.
                final int asked = first;
                first = (asked + 1) % urls.size();
                try {
                    final SiteDetails details = ask(http, api(urls.get(asked)));
                    if (details.rawPort() != null) {
                        first = asked;
                        return details;
                    }
                    httpOnly = details;
                } catch (final IOException e) {
                    failure = worse(failure, e);
                }
            }
        } finally {
            // Nothing is waited for: an answer that stalls would never end.
            NewerJava.shutDown(http);
        }
        // A node that can't be asked now may have a RAW port.
        if (httpOnly != null && (failure == null || !Site.reason(failure).isTransient())) {
            return httpOnly;
        }
        throw failure;
    }

    /** A failure that may pass is reported rather than a lasting one: the next question may be answered. */
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
        final HttpRequest.Builder request =
                HttpRequest.newBuilder(api).timeout(timeout).header("Accept", "application/json");
        if (proxyAuthorization != null) {
            // An Authenticator would be asked for NiFi's own 401, too.
            request.header("Proxy-Authorization", proxyAuthorization);
        }
        final HttpResponse<byte[]> response = answer(http, request.build());
        if (response.statusCode() != OK) {
            throw new RestException(refusal(api, response.statusCode()), response.statusCode());
        }
        try {
            return details(response.uri(), Json.read(new String(response.body(), StandardCharsets.UTF_8)));
        } catch (final IllegalArgumentException | ClassCastException e) {
            throw new IOException(api + " does not answer as a NiFi does: " + e.getMessage(), e);
        }
    }

    /** The time-out of the request ends with the head of the answer: this one is for all of it. */
    private HttpResponse<byte[]> answer(final HttpClient http, final HttpRequest request)
            throws IOException, InterruptedException {
        final URI api = request.uri();
        final CompletableFuture<HttpResponse<byte[]>> answer =
                http.sendAsync(request, head -> new LimitedBody(MOST_BYTES));
        try {
            return answer.get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        } catch (final ExecutionException e) {
            final Throwable cause = e.getCause();
            throw Site.named(api + " can't be asked: " + cause, cause);
        } catch (final TimeoutException e) {
            throw new IOException(api + " did not answer in full within " + timeout, e);
        } finally {
            // Does nothing if it is complete.
            answer.cancel(true);
        }
    }

    private String refusal(final URI api, final int status) {
        if (RestException.isOfProxy(status)) {
            return refusalOfProxy(api);
        }
        final String said = api + " answers with HTTP status " + status;
        if (RestException.isUnauthorized(status)) {
            return said + ": the certificate's identity needs the policy \"retrieve site-to-site details\"";
        }
        return said + "; is it the address of a NiFi?";
    }

    private String refusalOfProxy(final URI api) {
        if (proxyAuthorization == null) {
            return "The HTTP proxy asks for a user before it leads to " + api + " (HTTP status 407)";
        }
        final String refused =
                "The HTTP proxy on the way to " + api + " does not take the user and password (HTTP status 407)";
        return "https".equals(api.getScheme())
                ? refused + "; Java sends them only with -Djdk.http.auth.tunneling.disabledSchemes="
                : refused;
    }

    private static SiteDetails details(final URI asked, final Object answer) {
        final Map<?, ?> controller = (Map<?, ?>) field(answer, "controller");
        if (controller == null) {
            throw new IllegalArgumentException("it describes no controller");
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
