// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.security.Identity;
import org.nios2s.harness.nifi.security.SecurityFiles;

/**
 * The {@code conf} directory of a NiFi, written anew before each start; the flow, users and policies in it are kept.
 * For one thread.
 */
final class NifiConfiguration {

    /** Where NiFis listen. */
    static final String LOOPBACK = "127.0.0.1";

    /** How secured NiFis call it: TLS wants a name. */
    static final String LOOPBACK_NAME = "localhost";

    private static final String PROPERTIES_FILE = "nifi.properties";
    private static final String ZOOKEEPER_PLACEHOLDER = "@zookeeper@";

    private final Properties properties = new Properties();
    private final Map<String, String> files = new LinkedHashMap<>();

    private NifiConfiguration() {}

    /** The configuration of one NiFi. */
    static NifiConfiguration of(final NifiOptions options, final NodePlan plan) {
        final NifiConfiguration configuration = new NifiConfiguration();
        configuration.loadDefaults();
        configuration.set("nifi.remote.input.host", LOOPBACK);
        configuration.set("nifi.remote.input.socket.port", plan.s2sPort());
        if (plan.security() == null) {
            configuration.set("nifi.web.http.host", LOOPBACK);
            configuration.set("nifi.web.http.port", plan.httpPort());
            configuration.files.put("authorizers.xml", resource("authorizers.xml"));
        } else {
            configuration.secure(plan.security(), plan.httpPort());
        }
        configuration.cluster(plan.cluster(), plan.security() != null);
        if (options.listener() == Listener.NIO) {
            configuration.set(
                    "nifi.nar.library.provider.nio-s2s.implementation",
                    "org.nios2s.listener.activation.NioSiteToSiteProvider");
        }
        options.properties().forEach(configuration::set);
        return configuration;
    }

    /** What {@code nifi.properties} will say under a key. */
    String get(final String key) {
        return properties.getProperty(key);
    }

    /** Address of the REST API. */
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

    /** Writes the files. */
    void write(final Path conf) {
        try {
            Files.createDirectories(conf);
            for (final Map.Entry<String, String> file : files.entrySet()) {
                Files.writeString(conf.resolve(file.getKey()), file.getValue());
            }
            try (Writer writer = Files.newBufferedWriter(conf.resolve(PROPERTIES_FILE))) {
                properties.store(writer, null);
            }
        } catch (final IOException e) {
            throw new HarnessException("Cannot write NiFi's configuration to " + conf, e);
        }
    }

    private void loadDefaults() {
        try {
            properties.load(new StringReader(resource(PROPERTIES_FILE)));
        } catch (final IOException e) {
            throw new IllegalStateException("Reading from memory does not fail", e);
        }
        files.put("logback.xml", resource("logback.xml"));
        files.put("login-identity-providers.xml", resource("login-identity-providers.xml"));
    }

    private void secure(final SecurityFiles security, final int httpsPort) {
        set("nifi.web.https.host", LOOPBACK_NAME);
        set("nifi.web.https.port", httpsPort);
        set("nifi.remote.input.secure", true);
        set("nifi.security.keystore", security.keyStore(Identity.NODE));
        set("nifi.security.keystoreType", SecurityFiles.STORE_TYPE);
        set("nifi.security.keystorePasswd", security.password());
        set("nifi.security.keyPasswd", security.password());
        set("nifi.security.truststore", security.trustStore());
        set("nifi.security.truststoreType", SecurityFiles.STORE_TYPE);
        set("nifi.security.truststorePasswd", security.password());
        set("nifi.security.user.authorizer", "managed-authorizer");
        files.put("authorizers.xml", resource("authorizers-secure.xml"));
    }

    private void cluster(final ClusterMembership cluster, final boolean secure) {
        files.put(
                "state-management.xml",
                resource("state-management.xml")
                        .replace(ZOOKEEPER_PLACEHOLDER, cluster == null ? "" : cluster.zookeeper()));
        if (cluster == null) {
            return;
        }
        set("nifi.cluster.is.node", true);
        set("nifi.cluster.protocol.is.secure", secure);
        set("nifi.cluster.node.address", secure ? LOOPBACK_NAME : LOOPBACK);
        set("nifi.cluster.node.protocol.port", cluster.protocolPort());
        set("nifi.cluster.load.balance.host", secure ? LOOPBACK_NAME : LOOPBACK);
        set("nifi.cluster.load.balance.port", cluster.loadBalancePort());
        set("nifi.cluster.flow.election.max.candidates", cluster.nodes());
        set("nifi.cluster.flow.election.max.wait.time", "1 min");
        set("nifi.zookeeper.connect.string", cluster.zookeeper());
        set("nifi.state.management.embedded.zookeeper.start", cluster.runsZookeeper());
        files.put("zookeeper.properties", """
                tickTime=2000
                initLimit=10
                syncLimit=5
                autopurge.purgeInterval=0
                dataDir=./state/zookeeper
                clientPortAddress=%s
                clientPort=%d
                """.formatted(LOOPBACK, cluster.zookeeperPort()));
    }

    private void set(final String key, final Object value) {
        properties.setProperty(key, value.toString());
    }

    private static String resource(final String name) {
        try (InputStream stream = NifiConfiguration.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalStateException("The harness's jar lacks " + name);
            }
            return new String(stream.readAllBytes(), UTF_8);
        } catch (final IOException e) {
            throw new IllegalStateException("Cannot read " + name + " from the harness's jar", e);
        }
    }
}
