// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.net.ssl.SSLContext;
import org.nios2s.harness.HarnessException;

/** NiFi's REST API as JSON in and JSON out. For any thread; a call blocks the thread that makes it. */
public final class RestClient implements AutoCloseable {

    static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration FINISH_PATIENCE = Duration.ofSeconds(60);
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);

    private final String api;
    private final Duration timeout;
    private final HttpClient http;

    /** A client of one NiFi; without TLS for plain HTTP. */
    public RestClient(final String api, final SSLContext tls) {
        this(api, tls, REQUEST_TIMEOUT);
    }

    RestClient(final String api, final SSLContext tls, final Duration timeout) {
        this.api = api;
        this.timeout = timeout;
        final HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).version(HttpClient.Version.HTTP_1_1);
        if (tls != null) {
            builder.sslContext(tls);
        }
        http = builder.build();
    }

    public static ObjectNode object() {
        return JSON.createObjectNode();
    }

    /** The elements of a JSON array; nothing when there is none. */
    public static Stream<JsonNode> stream(final JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** Address up to and including {@code /nifi-api}. */
    public String api() {
        return api;
    }

    public JsonNode get(final String path) {
        return json(send("GET", path, null));
    }

    /** Reads a resource that is not JSON. */
    public byte[] getBytes(final String path) {
        return send("GET", path, null);
    }

    /** Makes a resource; the body may be null. */
    public JsonNode post(final String path, final JsonNode body) {
        return json(send("POST", path, body));
    }

    /** Makes a request that takes NiFi a while, such as the listing of a queue, and waits until it is finished: its last state. */
    JsonNode finish(final String name, final String requests) {
        final String request = requests + "/"
                + post(requests, null).required(name).required("id").asText();
        final JsonNode[] answer = new JsonNode[1];
        try {
            Deadline.after(FINISH_PATIENCE).until(() -> "NiFi finishes " + request, () -> {
                answer[0] = get(request).required(name);
                return answer[0].required("finished").asBoolean();
            });
        } finally {
            delete(request);
        }
        return answer[0];
    }

    public JsonNode put(final String path, final JsonNode body) {
        return json(send("PUT", path, body));
    }

    public JsonNode delete(final String path) {
        return json(send("DELETE", path, null));
    }

    @Override
    public void close() {
        http.shutdownNow();
    }

    private byte[] send(final String method, final String path, final JsonNode body) {
        final HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(api + path))
                .timeout(timeout)
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (body != null) {
            request.method(method, HttpRequest.BodyPublishers.ofString(body.toString()))
                    .header("Content-Type", "application/json");
        }
        final String name = method + " " + path;
        try {
            final HttpResponse<byte[]> response = http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            if (response.statusCode() < HttpURLConnection.HTTP_OK
                    || response.statusCode() >= HttpURLConnection.HTTP_MULT_CHOICE) {
                throw new RestException(name, response.statusCode(), new String(response.body(), UTF_8));
            }
            return response.body();
        } catch (final IOException e) {
            throw new NoAnswerException("NiFi at %s did not answer %s: %s".formatted(api, name, e), e);
        } catch (final InterruptedException e) {
            throw HarnessException.interrupted("waiting for NiFi to answer " + name, e);
        }
    }

    private static JsonNode json(final byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (final IOException e) {
            throw new NoAnswerException("NiFi answered with something that is not JSON", e);
        }
    }
}
