// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.load.LoadSettings.Direction;
import org.nios2s.harness.load.TargetAddress;

/**
 * A NiFi that somebody else runs: asks its REST API where its RAW socket and an input port are, and changes nothing.
 * Immutable; any thread; a call blocks until NiFi has answered.
 *
 * @param base its web address, without {@code /nifi}
 * @param tls  whom to trust and who to be, or null for plain HTTP
 */
public record ExternalNifi(URI base, SSLContext tls) {

    private static final String WEB = "/nifi";
    private static final String API = "/nifi-api";

    public static ExternalNifi at(final String url, final SSLContext tls) {
        final URI given;
        try {
            given = URI.create(url.strip());
        } catch (final IllegalArgumentException e) {
            throw noAddress(url, e);
        }
        final boolean web = "http".equals(given.getScheme()) || "https".equals(given.getScheme());
        if (!web || given.getHost() == null) {
            throw noAddress(url, null);
        }
        final String path = given.getPath().replaceAll("/+$", "");
        final String prefix =
                path.endsWith(API) || path.endsWith(WEB) ? path.substring(0, path.lastIndexOf('/')) : path;
        return new ExternalNifi(URI.create(given.getScheme() + "://" + given.getRawAuthority() + prefix), tls);
    }

    /**
     * Where a RAW socket is.
     *
     * @param address of the socket and the input port behind it
     * @param secure  whether it speaks TLS
     */
    public record RawSocket(TargetAddress address, boolean secure) {}

    /** Finds the RAW socket and an input port. */
    public RawSocket find(final String portName, final Direction direction) {
        final JsonNode controller = controller();
        final JsonNode rawPort = controller.path("remoteSiteListeningPort");
        if (!rawPort.isInt()) {
            throw new HarnessException(
                    "The NiFi at %s has no RAW Site-to-Site port: nifi.remote.input.socket.port is not set there"
                            .formatted(base));
        }
        final boolean secure = controller.path("siteToSiteSecure").asBoolean();
        if (secure && tls == null) {
            throw new HarnessException(
                    "The RAW port of the NiFi at %s is secured: give --key-store, --trust-store and".formatted(base)
                            + " --password");
        }
        final boolean push = direction == Direction.PUSH;
        final String portId =
                portId(controller.path(push ? "inputPorts" : "outputPorts"), portName, push ? "input" : "output");
        final TargetAddress own = new TargetAddress(host(), rawPort.asInt(), portId, URI.create(base + WEB));
        return new RawSocket(own, secure);
    }

    @Override
    public String toString() {
        return base.toString();
    }

    private JsonNode controller() {
        try (RestClient rest = new RestClient(base + API, tls)) {
            final JsonNode controller = rest.get("/site-to-site").path("controller");
            if (!controller.isObject()) {
                throw new HarnessException("The server at " + base + API + " is not a NiFi");
            }
            return controller;
        } catch (final RestException e) {
            throw new HarnessException(
                    "The NiFi at %s does not list its Site-to-Site ports (%s): is that its address, and may this client read them?"
                            .formatted(base, e.getMessage()),
                    e);
        } catch (final NoAnswerException e) {
            throw new HarnessException(
                    "No NiFi answers at %s: %s. Does it run, and is that its web address?"
                            .formatted(base, e.getCause()),
                    e);
        }
    }

    /** The host as NiFi's own client takes it: RAW is served where the web address is. */
    private String host() {
        final String host = base.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    private String portId(final JsonNode ports, final String name, final String kind) {
        final Map<String, List<String>> idsByName = new TreeMap<>();
        ports.forEach(port -> idsByName
                .computeIfAbsent(port.path("name").asText(), key -> new ArrayList<>())
                .add(port.path("id").asText()));
        final String known =
                idsByName.isEmpty() ? "none that this client may use" : String.join(", ", idsByName.keySet());
        final List<String> all =
                idsByName.values().stream().flatMap(List::stream).toList();
        if (name != null && all.contains(name)) {
            return name;
        }
        final List<String> ids = name == null ? all : idsByName.getOrDefault(name, List.of());
        if (name == null && ids.size() != 1) {
            throw new HarnessException(
                    "--port-name has to name an %s port of the NiFi at %s; there are: %s".formatted(kind, base, known));
        }
        if (ids.isEmpty()) {
            throw new HarnessException("The NiFi at %s has no %s port '%s' that this client may use; there are: %s"
                    .formatted(base, kind, name, known));
        }
        if (ids.size() > 1) {
            throw new HarnessException(
                    "The NiFi at %s has %d %s ports '%s': write --port-name with one of their identifiers, %s"
                            .formatted(base, ids.size(), kind, name, String.join(", ", ids)));
        }
        return ids.getFirst();
    }

    private static IllegalArgumentException noAddress(final String url, final Throwable cause) {
        return new IllegalArgumentException(
                "'%s' is not a web address of a NiFi: write it as http://host:8080/nifi or https://host:8443/nifi"
                        .formatted(url),
                cause);
    }
}
