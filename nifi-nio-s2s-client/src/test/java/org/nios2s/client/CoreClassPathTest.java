// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client needs the wire codecs, Netty's seven jars and SLF4J, and no jar of NiFi's. Lives on the test's thread. */
class CoreClassPathTest {
    private static ClassLoader core() throws Exception {
        final List<URL> urls = new ArrayList<>();
        for (final Path path : RequiredJars.classPath().toList()) {
            if (Files.isDirectory(path) || RequiredJars.contains(path)) {
                urls.add(path.toUri().toURL());
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static void runExample(final String program, final String... arguments) throws Exception {
        run("examples." + program, arguments);
    }

    private static void run(final String program, final String... arguments) throws Exception {
        core().loadClass("org.nios2s.client." + program)
                .getMethod("main", String[].class)
                .invoke(null, (Object) arguments);
    }

    @Test
    void filesArePushedAndPulledWithNothingElse(@TempDir final Path directory) throws Exception {
        Files.writeString(directory.resolve("a.txt"), "content");
        try (ScriptedServer server = new ScriptedServer()) {
            runExample("PushDirectory", "127.0.0.1", "" + server.port(), "port-id", directory.toString());
            assertEquals(1, server.committed.size());
            server.offered.addAll(server.committed);
            runExample("PullToFiles", "127.0.0.1", "" + server.port(), "port-id", directory.toString());
            assertEquals(1, server.finishedPulls.get());
        }
    }

    @Test
    void aUrlNeedsNothingElse(@TempDir final Path directory) throws Exception {
        final Path file = Files.writeString(directory.resolve("a.txt"), "content");
        try (ScriptedServer server = new ScriptedServer();
                ScriptedSite site = new ScriptedSite(server.port())) {
            server.peers.put("127.0.0.1", new int[] {server.port(), 5});
            runExample("SendFile", site.url(), "in", file.toString());
            assertEquals(1, server.committed.size());
        }
    }

    @Test
    void aUrlIsEnoughToSendToSendInBatchesAndToReceive() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                ScriptedSite site = new ScriptedSite(server.port())) {
            server.peers.put("127.0.0.1", new int[] {server.port(), 5});
            server.offered.add(new ScriptedServer.Received(Map.of(), new byte[3]));
            run("ConsumerByUrl", site.url(), "in", "out");
            assertEquals(2, server.committed.size());
            assertEquals(1, server.finishedPulls.get());
        }
    }

    @Test
    void everyClassOfTheApiIsThereAndNoneOfNiFi() throws Exception {
        final ClassLoader core = core();
        assertThrows(
                ClassNotFoundException.class, () -> core.loadClass("org.apache.nifi.remote.protocol.ResponseCode"));
        final Path api = Path.of(SiteToSite.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .resolve("org/nios2s/client");
        int classes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(api, "*.class")) {
            for (final Path file : files) {
                final String name = file.getFileName().toString().replace(".class", "");
                if (!name.equals("package-info")) {
                    // Fails where a signature names what is not there.
                    core.loadClass("org.nios2s.client." + name).getDeclaredMethods();
                    classes++;
                }
            }
        }
        assertTrue(classes > 20, classes + " classes");
    }
}
