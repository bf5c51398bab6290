// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.nios2s.client.ClientObserver;
import org.nios2s.client.NioSiteToSite;
import org.nios2s.client.SiteToSite;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where NiFi is, and how long it may take. Belongs to the main thread. */
final class NifiOptions {
    @Option(
            names = "--url",
            description =
                    "Web address of NiFi, such as https://nifi.example.org:8443/nifi. May be given for several nodes of a"
                            + " cluster.")
    private List<String> urls = List.of();

    @Option(names = "--host", description = "Host of the RAW listener, with --port, to do without the REST API.")
    private String host;

    @Option(names = "--port", description = "TCP port of the RAW listener: nifi.remote.input.socket.port.")
    private Integer port;

    @Option(
            names = "--port-name",
            required = true,
            description = "Name or id of the public port in NiFi; with --host its id.")
    private String portName;

    @Option(names = "--connect-timeout", defaultValue = "10s", description = "To connect. Default: ${DEFAULT-VALUE}.")
    private Duration connectTimeout;

    @Option(
            names = "--idle-timeout",
            defaultValue = "30s",
            description = "How long NiFi may read nothing and send nothing. Default: ${DEFAULT-VALUE}.")
    private Duration idleTimeout;

    @Option(
            names = "--delivery-timeout",
            defaultValue = "2m",
            description = "How long a transaction is tried again, for example while the destination is full."
                    + " Default: ${DEFAULT-VALUE}.")
    private Duration deliveryTimeout;

    @Option(names = "--compress", description = "Deflates on the wire.")
    private boolean compress;

    @Mixin
    private TlsOptions tls;

    String portName() {
        return portName;
    }

    /** @throws UserMistake if the options do not fit one another, or name what is not there */
    SiteToSite.Builder builder(final ClientObserver observer) {
        requireOneAddress();
        final SSLContext context = tls.context();
        try {
            final SiteToSite.Builder builder = NioSiteToSite.builder()
                    .connectTimeout(connectTimeout)
                    .idleTimeout(idleTimeout)
                    .deliveryTimeout(deliveryTimeout)
                    .compress(compress)
                    .observer(observer);
            if (host == null) {
                builder.url(urls.toArray(String[]::new));
            } else {
                builder.address(host, port);
            }
            if (context != null) {
                builder.tls(context);
            }
            return builder;
        } catch (final IllegalArgumentException e) {
            throw new UserMistake(e.getMessage(), e);
        }
    }

    private void requireOneAddress() {
        if (portName.isBlank()) {
            throw new UserMistake("--port-name is blank");
        }
        if (urls.isEmpty() && host == null && port == null) {
            throw new UserMistake("Where is NiFi? Give --url, or --host and --port");
        }
        if (!urls.isEmpty() && (host != null || port != null)) {
            throw new UserMistake("Give either --url or --host and --port, not both");
        }
        if (urls.isEmpty() && (host == null || port == null)) {
            throw new UserMistake(
                    "--host and --port belong together: " + (host == null ? "--host" : "--port") + " is missing");
        }
    }
}
