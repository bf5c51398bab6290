// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.limits.MemoryBudget;
import org.nios2s.listener.metrics.ListenerMetrics;
import org.nios2s.listener.port.PortRegistry;
import org.nios2s.listener.port.RecordingPort;
import org.nios2s.listener.settings.ListenerSettings;
import org.nios2s.listener.time.NanoClock;

/** The tables of docs/metrics.md against the beans. Lives on the test's thread. */
class DocumentedMetricsTest {
    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([A-Z]\\w+)` \\| (listener|both|peers) \\|");
    private static final List<String> FIGURES_OF_A_MEASURE = List.of("50thPercentile", "99thPercentile", "Max");
    private static final Pattern EXPORTED = Pattern.compile("\\bs2s_(?:port_)?([a-z_]+?)(?:_total)?\\b");

    private final List<MatchResult> rows =
            ROW.matcher(Files.readString(DOCS.resolve("metrics.md"))).results().toList();

    DocumentedMetricsTest() throws IOException {}

    /** A row stands for one attribute, one of each kind of fault, or the figures of what is measured. */
    private static Stream<String> attributesOf(final String name) {
        if (name.equals("Faults_KIND")) {
            return Stream.of(ConnectionFault.Kind.values()).map(kind -> "Faults_" + kind);
        }
        return Stream.of(ListenerMetrics.Histogram.values())
                        .anyMatch(measure -> measure.name().replace("_", "").equalsIgnoreCase(name))
                ? FIGURES_OF_A_MEASURE.stream().map(name::concat)
                : Stream.of(name);
    }

    private static Set<String> attributesOf(final Stream<MatchResult> rows) {
        return rows.flatMap(row -> attributesOf(row.group(1))).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> attributes(final String pattern) throws Exception {
        final ObjectName bean =
                SERVER.queryNames(new ObjectName(pattern), null).iterator().next();
        return Stream.of(SERVER.getMBeanInfo(bean).getAttributes())
                .map(attribute -> attribute.getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyAttributeOfTheListenerIsThere() throws Exception {
        final int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        final NiFiProperties properties = new NiFiProperties(Map.of());
        final NioRemoteSiteListener listener =
                new NioRemoteSiteListener(port, null, properties, null, ListenerSettings.from(properties));
        listener.start();
        try {
            assertEquals(
                    attributes("org.nios2s:type=SiteToSiteListener,port=" + port),
                    attributesOf(rows.stream().filter(row -> !row.group(2).equals("peers"))));
            assertEquals(
                    attributes("org.nios2s:type=SiteToSitePeers,port=" + port),
                    attributesOf(rows.stream().filter(row -> row.group(2).equals("peers"))));
        } finally {
            listener.stop();
        }
        assertTrue(SERVER.queryNames(new ObjectName("org.nios2s:*,port=" + port), null)
                .isEmpty());
    }

    @Test
    void everyAttributeOfAPortIsThere() throws Exception {
        final NiFiProperties none = new NiFiProperties(Map.of());
        try (ListenerMetrics metrics = new ListenerMetrics(1, NanoClock.SYSTEM);
                RecordingPort port = new RecordingPort(1);
                PortRegistry dispatchers = new PortRegistry(
                        ListenerSettings.from(none), new MemoryBudget(1), Runnable::run, metrics, NanoClock.SYSTEM)) {
            metrics.publish(Map.of());
            dispatchers.acquire(port.port());
            assertEquals(
                    attributes("org.nios2s:type=SiteToSitePort,port=1,id=input,name=\"input\""),
                    attributesOf(rows.stream().filter(row -> row.group(2).equals("both"))));
        }
    }

    /** As docs/metrics/jmx-exporter.yml has the exporter call it. */
    private static String exported(final String attribute) {
        return attribute
                .replaceAll("^Faults_.*", "FaultsByKind")
                .replaceAll("(\\d\\dthPercentile|Max)$", "")
                .replaceAll("Ms$", "Seconds")
                .replaceAll("(?<=[a-z])(?=[A-Z])", "_")
                .toLowerCase(Locale.ROOT);
    }

    @Test
    void rulesAndDashboardKnowNoOther() throws IOException {
        final Set<String> exported = attributesOf(rows.stream()).stream()
                .map(DocumentedMetricsTest::exported)
                .collect(Collectors.toSet());
        for (final String file : List.of("alerts.yml", "grafana-dashboard.json")) {
            final Set<String> used = EXPORTED.matcher(
                            Files.readString(DOCS.resolve("metrics").resolve(file)))
                    .results()
                    .map(name -> name.group(1))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertFalse(used.isEmpty());
            used.removeAll(exported);
            assertEquals(Set.of(), used);
        }
    }
}
