// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The shaded jar on a class path with another Netty: both serve. Runs with {@code -Prelease}. */
class ShadedClassPathIT {
    static Stream<String> versions() {
        return Stream.of(System.getProperty("client.shaded.beside").split(","));
    }

    /** @return the shaded jar, what it needs, programs of the tests, and a Netty */
    private static ClassLoader loader(final String netty) throws Exception {
        final List<Path> paths = new ArrayList<>();
        try (Stream<Path> jars = Files.list(Path.of("target", "netty-" + netty))) {
            jars.forEach(paths::add);
        }
        paths.add(Path.of(System.getProperty("client.shaded")));
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            final String name = Path.of(entry).getFileName().toString();
            if (name.equals("test-classes")
                    || name.startsWith("slf4j-api")
                    || name.startsWith("nifi-site-to-site-client")) {
                paths.add(Path.of(entry));
            }
        }
        final List<URL> urls = new ArrayList<>();
        for (final Path path : paths) {
            urls.add(path.toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    @ParameterizedTest
    @MethodSource("versions")
    void itPushesAndPullsBesideAnotherNetty(final String netty, @TempDir final Path directory) throws Exception {
        Files.writeString(directory.resolve("a.txt"), "content");
        final ClassLoader loader = loader(netty);
        final String beside = loader.loadClass("io.netty.util.Version")
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        assertTrue(beside.endsWith("netty-common-" + netty + ".jar"), beside);
        assertThrows(ClassNotFoundException.class, () -> loader.loadClass("io.netty.channel.epoll.Epoll"));
        try (ScriptedServer server = new ScriptedServer()) {
            run(loader, "PushDirectory", "127.0.0.1", "" + server.port(), "port-id", directory.toString());
            assertEquals(1, server.committed.size());
            server.offered.addAll(server.committed);
            run(loader, "PullToFiles", "127.0.0.1", "" + server.port(), "port-id", directory.toString());
            assertEquals(1, server.finishedPulls.get());
        }
        final Object buffer = loader.loadClass("io.netty.buffer.Unpooled")
                .getMethod("wrappedBuffer", byte[].class)
                .invoke(null, (Object) new byte[3]);
        assertEquals(3, buffer.getClass().getMethod("readableBytes").invoke(buffer));
    }

    private static void run(final ClassLoader loader, final String program, final String... arguments)
            throws Exception {
        loader.loadClass("org.nios2s.client.examples." + program)
                .getMethod("main", String[].class)
                .invoke(null, (Object) arguments);
    }
}
