// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.apache.nifi.util.NiFiProperties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.nios2s.listener.settings.ListenerSettings;

/** What the process has, compared with what the settings promise. Lives on the test's thread. */
class ProcessLimitsTest {
    private static final long MIB = 1024 * 1024;
    private static final long GIB = 1024 * MIB;

    /** A NiFi with the defaults of its bootstrap.conf, in a container. */
    private static final ProcessLimits USUAL = new ProcessLimits(GIB, GIB, 1_048_576);

    private static ListenerSettings settings(final String... settings) {
        return ListenerSettings.from(new NiFiProperties(
                settings.length == 0 ? Map.of() : Map.of("nifi.remote.input.nio." + settings[0], settings[1])));
    }

    private static void assertOnly(final String expected, final List<String> shortages) {
        assertEquals(1, shortages.size(), shortages::toString);
        assertTrue(shortages.getFirst().contains(expected), shortages::toString);
    }

    @Test
    @DisplayName("the defaults fit into a usual process, and into the one of this test")
    void defaults() {
        assertEquals(List.of(), USUAL.shortages(settings()));
        assertEquals(List.of(), ProcessLimits.ofThisProcess().shortages(settings()));
    }

    @Test
    @DisplayName("direct memory below buffer.memory is told of, with the numbers to set")
    void directMemory() {
        final ProcessLimits little = new ProcessLimits(GIB, 16 * MIB, 1_048_576);
        assertOnly("Set -XX:MaxDirectMemorySize=64m or more in bootstrap.conf", little.shortages(settings()));
        assertOnly("or nifi.remote.input.nio.buffer.memory=16 MB", little.shortages(settings()));
        assertEquals(List.of(), little.shortages(settings("buffer.memory", "16 MB")));
    }

    @Test
    @DisplayName("too few file descriptors for connections.max are told of, with the numbers to set")
    void descriptors() {
        final ProcessLimits few = new ProcessLimits(GIB, GIB, 1_024);
        assertOnly("Set ulimit -n 2000 or more", few.shortages(settings("connections.max", "1000")));
        assertOnly("or nifi.remote.input.nio.connections.max=512", few.shortages(settings("connections.max", "1000")));
        assertEquals(List.of(), few.shortages(settings("connections.max", "512")));
        assertEquals(512, few.maxConnections(settings()));
    }

    @Test
    @DisplayName("a heap below what buffer and connections may take is told of, with the number to set")
    void heap() {
        assertOnly("Set -Xmx3189m or more", USUAL.shortages(settings("connections.max", "100000")));
        assertEquals(List.of(), USUAL.shortages(settings("connections.max", "30000")));
        assertEquals(32_768, USUAL.maxConnections(settings()));
    }
}
