// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.client.ScriptedServer.Received;
import org.nios2s.client.examples.PullToFiles;
import org.nios2s.client.examples.PushDirectory;
import org.nios2s.client.examples.TenThousandSensors;
import org.nios2s.client.internal.connection.ConnectionOptions;

/** The programs of the documentation do what it says. */
class ExamplesTest {
    private static final int SENSORS = 10_000;

    private ScriptedServer server;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private String[] arguments(final String... more) {
        return Stream.concat(Stream.of("127.0.0.1", "" + server.port(), "port-id"), Stream.of(more))
                .toArray(String[]::new);
    }

    @Test
    void aDirectoryIsPushed(@TempDir final Path directory) throws Exception {
        Files.writeString(directory.resolve("a.txt"), "first");
        Files.writeString(directory.resolve("b.txt"), "second");
        PushDirectory.main(arguments(directory.toString()));
        assertEquals(2, server.committed.size());
        assertTrue(server.committed.stream()
                .anyMatch(packet -> "a.txt".equals(packet.attributes().get("filename"))));
    }

    @Test
    void packetsArePulledToFiles(@TempDir final Path directory) throws Exception {
        server.offered.add(new Received(Map.of(), "content".getBytes()));
        PullToFiles.main(arguments(directory.toString()));
        try (Stream<Path> files = Files.list(directory)) {
            final List<Path> all = files.toList();
            assertEquals(1, all.size());
            assertArrayEquals("content".getBytes(), Files.readAllBytes(all.get(0)));
        }
    }

    @Test
    void tenThousandSensorsShareAFewThreadsAndConnections() throws Exception {
        TenThousandSensors.main(arguments("" + SENSORS, "2", "1000"));
        assertEquals(2 * SENSORS, server.committed.size());
        assertTrue(server.accepted.get() <= ConnectionOptions.DEFAULTS.maxConnections());
    }
}
