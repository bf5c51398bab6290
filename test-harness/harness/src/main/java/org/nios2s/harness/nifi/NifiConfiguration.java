// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import com.samskivert.mustache.Mustache;
import java.io.StringReader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.HarnessResource;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;

/**
 * The {@code conf} directory of a NiFi, rewritten before each start; the flow, users and policies in it are kept.
 * For one thread.
 *
 * @param properties what {@code nifi.properties} will say
 * @param files      the texts of all other files, by name
 */
record NifiConfiguration(Properties properties, Map<String, String> files) {

    /** Where NiFis listen. */
    static final String LOOPBACK = "127.0.0.1";

    /** How secured NiFis call it: TLS wants a name. */
    static final String LOOPBACK_NAME = "localhost";

    private static final String PROPERTIES_FILE = "nifi.properties";

    /** The configuration of one NiFi; without {@code security} it is not secured, without {@code cluster} standalone. */
    static NifiConfiguration of(
            final NifiOptions options,
            final int httpPort,
            final int s2sPort,
            final SecurityFiles security,
            final ClusterMembership cluster) {
        final Map<String, Object> context = new HashMap<>();
        context.put("host", security == null ? LOOPBACK : LOOPBACK_NAME);
        context.put("httpPort", httpPort);
        context.put("s2sPort", s2sPort);
        context.put("nio", options.listener == Listener.NIO);
        context.put("secure", security != null);
        if (security != null) {
            context.put("keyStore", escaped(security.keyStore(Identity.NODE)));
            context.put("trustStore", escaped(security.trustStore()));
            context.put("password", security.password());
        }
        final Map<String, String> files = new LinkedHashMap<>();
        if (cluster != null) {
            context.put("cluster", cluster);
            context.put("zookeeper", cluster.zookeeper());
            context.put("zookeeperPort", cluster.zookeeperPort());
            files.put("zookeeper.properties", filled("zookeeper.properties", context));
        }
        List.of("logback.xml", "login-identity-providers.xml", "state-management.xml")
                .forEach(file -> files.put(file, filled(file, context)));
        files.put("authorizers.xml", filled(security == null ? "authorizers.xml" : "authorizers-secure.xml", context));
        final Properties properties = new Properties();
        HarnessException.attempt(
                e -> "Cannot read NiFi's properties: " + e,
                () -> properties.load(new StringReader(filled(PROPERTIES_FILE, context))));
        properties.putAll(options.properties);
        return new NifiConfiguration(properties, files);
    }

    private static String filled(final String file, final Map<String, Object> context) {
        return Mustache.compiler()
                .escapeHTML(false)
                .defaultValue("")
                .compile(HarnessResource.text(NifiConfiguration.class, file))
                .execute(context);
    }

    private static String escaped(final Path file) {
        return file.toString().replace("\\", "\\\\");
    }

    /** The value of a key of {@code nifi.properties}. */
    String get(final String key) {
        return properties.getProperty(key);
    }

    String api() {
        final String host = get("nifi.web.https.host");
        return host.isEmpty()
                ? "http://" + get("nifi.web.http.host") + ":" + get("nifi.web.http.port") + "/nifi-api"
                : "https://" + host + ":" + get("nifi.web.https.port") + "/nifi-api";
    }

    /** Port of RAW Site-to-Site, or null when none is configured. */
    Integer s2sPort() {
        final String port = get("nifi.remote.input.socket.port");
        return port.isBlank() ? null : Integer.valueOf(port.trim());
    }

    void write(final Path conf) {
        HarnessException.attempt(e -> "Cannot write NiFi's configuration to " + conf, () -> {
            Files.createDirectories(conf);
            for (final Map.Entry<String, String> file : files.entrySet()) {
                Files.writeString(conf.resolve(file.getKey()), file.getValue());
            }
            try (Writer writer = Files.newBufferedWriter(conf.resolve(PROPERTIES_FILE))) {
                properties.store(writer, null);
            }
        });
    }
}
