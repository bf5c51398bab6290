// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client needs the wire codecs, Netty's seven jars, SLF4J, and the jar with NiFi's constants. */
class CoreClassPathTest {
    private static final Set<String> CORE = Set.of(
            "nifi-nio-s2s-wire",
            "netty-handler",
            "netty-common",
            "netty-resolver",
            "netty-buffer",
            "netty-transport",
            "netty-transport-native-unix-common",
            "netty-codec-base",
            "slf4j-api",
            "nifi-site-to-site-client");

    private static ClassLoader core() throws Exception {
        final List<URL> urls = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            final Path path = Path.of(entry);
            final String artifact = path.getFileName().toString().replaceFirst("-\\d.*", "");
            if (Files.isDirectory(path) || CORE.contains(artifact)) {
                urls.add(path.toUri().toURL());
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static void run(final String program, final String... arguments) throws Exception {
        core().loadClass("org.nios2s.client.examples." + program)
                .getMethod("main", String[].class)
                .invoke(null, (Object) arguments);
    }

    @Test
    void filesArePushedAndPulledWithNothingElse(@TempDir final Path directory) throws Exception {
        Files.writeString(directory.resolve("a.txt"), "content");
        try (ScriptedServer server = new ScriptedServer()) {
            run("PushDirectory", "127.0.0.1", "" + server.port(), "port-id", directory.toString());
            assertEquals(1, server.committed.size());
            server.offered.addAll(server.committed);
            run("PullToFiles", "127.0.0.1", "" + server.port(), "port-id", directory.toString());
            assertEquals(1, server.finishedPulls.get());
        }
    }

    @Test
    void aUrlNeedsNothingElse(@TempDir final Path directory) throws Exception {
        final Path file = Files.writeString(directory.resolve("a.txt"), "content");
        try (ScriptedServer server = new ScriptedServer();
                ScriptedSite site = new ScriptedSite(server.port())) {
            server.peers.put("127.0.0.1", new int[] {server.port(), 5});
            run("SendFile", site.url(), "in", file.toString());
            assertEquals(1, server.committed.size());
        }
    }
}
