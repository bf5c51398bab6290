// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The versions of this build and of what it brings along. Stateless, any thread.
 */
public final class Versions {

    private static final String RESOURCE = "versions.properties";
    private static final String CHARTS = "ECharts";
    private static final String NIFI = "embedded NiFi";

    private Versions() {}

    /** All of them: versions by name. */
    public static Map<String, String> ofBuild() {
        final Properties properties = new Properties();
        try (InputStream resource = Versions.class.getResourceAsStream(RESOURCE)) {
            properties.load(resource);
        } catch (final IOException e) {
            throw new UncheckedIOException("Cannot read the versions of this build", e);
        }
        final Map<String, String> versions = new TreeMap<>();
        properties.stringPropertyNames().forEach(name -> versions.put(name, properties.getProperty(name)));
        return versions;
    }

    /** The library that draws the report's charts: its version. */
    public static String ofCharts() {
        return ofBuild().get(CHARTS);
    }

    /** The NiFi that is started where no other one is asked for: its version. */
    public static String ofNifi() {
        return ofBuild().get(NIFI);
    }
}
