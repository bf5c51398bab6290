/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Properties;
import org.nios2s.harness.HarnessException;

/**
 * The {@code conf} directory of a NiFi, written anew before each start.
 * For one thread.
 */
final class NifiConfiguration {

    /** Where plain NiFis listen. */
    static final String LOOPBACK = "127.0.0.1";

    private static final String PROPERTIES_FILE = "nifi.properties";
    private static final List<String> PLAIN_FILES =
            List.of("logback.xml", "authorizers.xml", "login-identity-providers.xml", "state-management.xml");

    private final Properties properties = new Properties();

    private NifiConfiguration() {}

    /**
     * The configuration of a standalone NiFi without TLS.
     *
     * @param options what the user wants; its properties win over everything else
     * @param httpPort the settled port of the REST API
     * @param s2sPort the settled port of RAW Site-to-Site
     */
    static NifiConfiguration of(final NifiOptions options, final int httpPort, final int s2sPort) {
        final NifiConfiguration configuration = new NifiConfiguration();
        configuration.load();
        configuration.set("nifi.web.http.host", LOOPBACK);
        configuration.set("nifi.web.http.port", httpPort);
        configuration.set("nifi.remote.input.host", LOOPBACK);
        configuration.set("nifi.remote.input.socket.port", s2sPort);
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
        return "http://" + get("nifi.web.http.host") + ":" + get("nifi.web.http.port") + "/nifi-api";
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
            for (final String name : PLAIN_FILES) {
                try (InputStream file = resource(name)) {
                    Files.copy(file, conf.resolve(name), StandardCopyOption.REPLACE_EXISTING);
                }
            }
            try (Writer writer = Files.newBufferedWriter(conf.resolve(PROPERTIES_FILE))) {
                properties.store(writer, null);
            }
        } catch (final IOException e) {
            throw new HarnessException("Cannot write NiFi's configuration to " + conf, e);
        }
    }

    private void load() {
        try (InputStream defaults = resource(PROPERTIES_FILE)) {
            properties.load(new InputStreamReader(defaults, StandardCharsets.UTF_8));
        } catch (final IOException e) {
            throw new IllegalStateException("Cannot read the template of nifi.properties", e);
        }
    }

    private void set(final String key, final Object value) {
        properties.setProperty(key, value.toString());
    }

    private static InputStream resource(final String name) {
        final InputStream stream = NifiConfiguration.class.getResourceAsStream(name);
        if (stream == null) {
            throw new IllegalStateException("The harness's jar lacks " + name);
        }
        return stream;
    }
}
