// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mockStatic;

import ch.qos.logback.classic.Level;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.nifi.flow.resource.ExternalResourceProvider;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.mockito.MockedStatic;
import org.nios2s.peers.LogLines;

/** Activation fails or is not wanted: one line says so, and nothing is thrown at NiFi. Lives on the test's thread. */
class NioSiteToSiteProviderTest {
    @AutoClose
    private final LogLines log = new LogLines(NioSiteToSiteProvider.class, Level.INFO);

    private static void initialize(final NiFiProperties properties) {
        assertDoesNotThrow(() -> new NioSiteToSiteProvider(properties).initialize(null));
    }

    private String onlyLine(final Level level) {
        assertEquals(1, log.events().size(), log.lines()::toString);
        assertEquals(level, log.events().getFirst().getLevel());
        return log.lines().getFirst();
    }

    @Test
    @DisplayName("a bad setting is one ERROR line that names key, value and what is accepted")
    void badSetting() {
        initialize(new NiFiProperties(
                Map.of("nifi.remote.input.socket.port", "10443", "nifi.remote.input.nio.worker.threads", "many")));
        final String line = onlyLine(Level.ERROR);
        assertTrue(
                line.contains("nifi.remote.input.nio.worker.threads=many is not accepted; use a whole number"), line);
        assertTrue(line.contains("The stock listener serves"), line);
    }

    @Test
    @DisplayName("an unknown setting is one ERROR line that names it")
    void unknownSetting() {
        initialize(new NiFiProperties(Map.of("nifi.remote.input.nio.colour", "blue")));
        assertTrue(onlyLine(Level.ERROR).contains("nifi.remote.input.nio.colour"));
    }

    @Test
    @DisplayName("switched off, one INFO line says so")
    void switchedOff() {
        initialize(new NiFiProperties(
                Map.of("nifi.remote.input.socket.port", "10443", "nifi.remote.input.nio.enabled", "false")));
        assertTrue(onlyLine(Level.INFO).contains("nifi.remote.input.nio.enabled=false"));
    }

    @Test
    @DisplayName("without a RAW port one INFO line says so")
    void noPort() {
        initialize(new NiFiProperties(Map.of()));
        assertTrue(onlyLine(Level.INFO).contains("nifi.remote.input.socket.port is not set"));
    }

    @Test
    @DisplayName("without properties one ERROR line says so")
    void noProperties() {
        initialize(null);
        assertTrue(onlyLine(Level.ERROR).contains("did not hand over its properties"));
    }

    @Test
    @DisplayName("activated too late, one ERROR line says so and the stock listener stays")
    void tooLate() throws Exception {
        Class.forName("org.apache.nifi.remote.SocketRemoteSiteListener");
        initialize(new NiFiProperties(
                Map.of("nifi.remote.input.socket.port", "10443", "nifi.remote.input.secure", "false")));
        final String line = onlyLine(Level.ERROR);
        assertTrue(line.contains("NiFi has loaded the stock listener already"), line);
    }

    @Test
    @DisplayName(
            "once the listener has taken over, nothing says that it has not: NARs beside ours are looked at before")
    void brokenNarBesideOurs() {
        try (MockedStatic<NarInspector> nar = mockStatic(NarInspector.class);
                MockedStatic<ListenerTakeover> takeover = mockStatic(ListenerTakeover.class)) {
            nar.when(() -> NarInspector.otherVersions(any())).thenThrow(new IOException("invalid header field"));
            initialize(new NiFiProperties(
                    Map.of("nifi.remote.input.socket.port", "10443", "nifi.remote.input.secure", "false")));
            takeover.verify(() -> ListenerTakeover.install(any()));
        }
        assertTrue(onlyLine(Level.WARN).contains("invalid header field"));
    }

    @Test
    @DisplayName("a shim that the JVM refuses is named with the JVM's own reason")
    void brokenStandIn() {
        try (MockedStatic<NarInspector> nar = mockStatic(NarInspector.class);
                MockedStatic<ListenerTakeover> takeover = mockStatic(ListenerTakeover.class)) {
            nar.when(() -> NarInspector.otherVersions(any())).thenReturn(Optional.empty());
            takeover.when(() -> ListenerTakeover.install(any())).thenThrow(new ClassFormatError("Extra bytes"));
            initialize(new NiFiProperties(
                    Map.of("nifi.remote.input.socket.port", "10443", "nifi.remote.input.secure", "false")));
        }
        final String line = onlyLine(Level.ERROR);
        assertTrue(line.contains("ClassFormatError: Extra bytes. The stock listener serves"), line);
    }

    @Test
    @DisplayName("Netty may use Unsafe on Java 25, which only warns, unless the administrator has said otherwise")
    void unsafe() throws Exception {
        final String key = "io.netty.noUnsafe";
        final String before = System.getProperty(key);
        try {
            System.clearProperty(key);
            tooLate();
            assertEquals(Runtime.version().feature() == 25 ? "false" : null, System.getProperty(key));
            log.clear();
            System.setProperty(key, "true");
            tooLate();
            assertEquals("true", System.getProperty(key));
        } finally {
            if (before == null) {
                System.clearProperty(key);
            } else {
                System.setProperty(key, before);
            }
        }
    }

    @Test
    @DisplayName("NiFi finds the provider among its services, and it lists no resources")
    void service() throws Exception {
        // Read, not loaded: NiFi's own providers are listed too, and are not all here.
        final List<String> listed = new ArrayList<>();
        for (final URL file : Collections.list(NioSiteToSiteProvider.class
                .getClassLoader()
                .getResources("META-INF/services/" + ExternalResourceProvider.class.getName()))) {
            try (InputStream in = file.openStream()) {
                new String(in.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .map(String::trim)
                        .forEach(listed::add);
            }
        }
        assertTrue(listed.contains(NioSiteToSiteProvider.class.getName()), listed.toString());
        assertTrue(new NioSiteToSiteProvider().listResources().isEmpty());
    }
}
