// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.fault.ConnectionFault;
import org.nios2s.listener.fault.RefusalLog;
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

    private static final Pattern RULE = Pattern.compile(
            "(?ms)^  - pattern: '(.*?)'$(?:\\s+attrNameSnakeCase: (true))?\\s+name: (\\S+)\\s+type: (\\w+)$");
    private static final Pattern SCRAPED = Pattern.compile("(?m)^# TYPE (\\S+) (\\w+)$");
    private static final String LISTENER_BEAN = "type=SiteToSiteListener, port=1";
    private static final String PORT_BEAN = "type=SiteToSitePort, port=1, id=i, name=\"n\"";
    private static final String COUNTS = "### Counts";
    private static final String OTHERS = "### At the moment of reading";

    private final String page = Files.readString(DOCS.resolve("metrics.md"));
    private final List<MatchResult> rows = ROW.matcher(page).results().toList();

    DocumentedMetricsTest() throws IOException {}

    /** A row stands for one attribute, one of each kind of fault, or the figures of what is measured. */
    private static Stream<String> attributesOf(final String name) {
        if (name.equals("Faults_KIND")) {
            return Stream.of(ConnectionFault.Kind.values()).map(kind -> "Faults_" + kind);
        }
        if (name.equals("HandshakesRefused_CODE")) {
            return RefusalLog.CODES.stream().map(code -> "HandshakesRefused_" + code);
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
        final int port = ServedListener.freePort();
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
                        ListenerSettings.from(none),
                        new MemoryBudget(1, NanoClock.SYSTEM),
                        Runnable::run,
                        metrics,
                        NanoClock.SYSTEM)) {
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
                .replaceAll("^HandshakesRefused_.*", "HandshakesRefusedByCode")
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

    /** A counter that is exported as a gauge has no {@code _total}, and no rate is right after a restart. */
    @Test
    void theExporterExportsCountsAsCountersAndOthersAsGauges() throws IOException {
        final Set<String> counts = attributesOf(ROW.matcher(page.substring(page.indexOf(COUNTS), page.indexOf(OTHERS)))
                .results());
        final Set<String> ofPorts =
                attributesOf(rows.stream().filter(row -> row.group(2).equals("both")));
        for (final String attribute :
                attributesOf(rows.stream().filter(row -> !row.group(2).equals("peers")))) {
            assertExported(LISTENER_BEAN, attribute, counts.contains(attribute));
            if (ofPorts.contains(attribute)) {
                assertExported(PORT_BEAN, attribute, counts.contains(attribute));
            }
        }
    }

    /** What the real exporter made of those rules. */
    @Test
    void aRealScrapeHasTheNamesAndTypesOfTheRules() throws IOException {
        final Set<Exported> expected = new HashSet<>();
        for (final String attribute :
                attributesOf(rows.stream().filter(row -> !row.group(2).equals("peers")))) {
            expected.add(exported(LISTENER_BEAN, attribute));
        }
        for (final String attribute :
                attributesOf(rows.stream().filter(row -> row.group(2).equals("both")))) {
            expected.add(exported(PORT_BEAN, attribute));
        }
        final List<Exported> scraped = SCRAPED.matcher(
                        Files.readString(Path.of("src", "test", "resources", "metrics", "scrape.txt")))
                .results()
                .map(type -> new Exported(type.group(1), type.group(2).toUpperCase(Locale.ROOT)))
                .filter(metric -> !metric.name().endsWith("_by_peer"))
                .toList();
        assertFalse(scraped.isEmpty());
        assertTrue(expected.containsAll(scraped), () -> scraped + " of " + expected);
    }

    private static void assertExported(final String bean, final String attribute, final boolean isCount)
            throws IOException {
        final Exported exported = exported(bean, attribute);
        assertEquals(isCount ? "COUNTER" : "GAUGE", exported.type(), attribute);
        assertEquals(isCount, exported.name().endsWith("_total"), exported::toString);
    }

    /** A metric as the exporter names it. */
    private record Exported(String name, String type) {}

    /** By the first rule that fits, as the exporter takes it. */
    private static Exported exported(final String bean, final String attribute) throws IOException {
        for (final MatchResult rule : RULE.matcher(
                        Files.readString(DOCS.resolve("metrics").resolve("jmx-exporter.yml")))
                .results()
                .toList()) {
            final String name = rule.group(2) == null
                    ? attribute
                    : attribute.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
            final Matcher fits = Pattern.compile("^.*(?:" + rule.group(1) + ").*$")
                    .matcher("org.nios2s<" + bean + "><>" + name + ": 1");
            if (fits.matches()) {
                return new Exported(fits.replaceAll(rule.group(3)), rule.group(4));
            }
        }
        return fail("no rule of jmx-exporter.yml exports " + attribute);
    }
}
