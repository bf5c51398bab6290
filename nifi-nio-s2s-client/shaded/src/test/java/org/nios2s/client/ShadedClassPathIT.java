// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What a user of the shaded jar gets, also with another Netty on the class path. Lives on the test's thread. */
class ShadedClassPathIT {
    private static final Path SHADED = Path.of(System.getProperty("shaded.jar"));
    private static final Path REDUCED_POM = Path.of(System.getProperty("shaded.pom"));
    private static final String OURS = "org/nios2s/";
    private static final String OTHER_VERSION = "4.1.94.Final";

    private static List<Path> classPath(final Predicate<String> fileName) {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(path -> fileName.test(path.getFileName().toString()))
                .toList();
    }

    static Stream<List<Path>> nettys() throws IOException {
        try (Stream<Path> other = Files.list(Path.of(System.getProperty("other.netty")))) {
            return Stream.of(other.toList(), classPath(name -> name.startsWith("netty-")));
        }
    }

    /** @return the shaded jar, what its POM asks for, programs of the documentation, and a Netty */
    private static ClassLoader consumer(final List<Path> netty) throws Exception {
        final List<Path> paths = new ArrayList<>(netty);
        paths.add(SHADED);
        paths.addAll(classPath(name ->
                name.startsWith("slf4j-api") || name.startsWith("nifi-nio-s2s-client") && name.endsWith("-tests.jar")));
        final List<URL> urls = new ArrayList<>();
        for (final Path path : paths) {
            urls.add(path.toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static void run(final ClassLoader loader, final String program, final String... arguments)
            throws Exception {
        loader.loadClass("org.nios2s.client.examples." + program)
                .getMethod("main", String[].class)
                .invoke(null, (Object) arguments);
    }

    @ParameterizedTest
    @MethodSource("nettys")
    void itPushesAndPullsBesideAnotherNetty(final List<Path> netty, @TempDir final Path directory) throws Exception {
        Files.writeString(directory.resolve("a.txt"), "content");
        final ClassLoader loader = consumer(netty);
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

    @Test
    void oneOfTheOthersIsOlder() throws Exception {
        final ClassLoader loader = consumer(nettys().findFirst().orElseThrow());
        final String beside = loader.loadClass("io.netty.util.Version")
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        assertTrue(beside.endsWith("netty-common-" + OTHER_VERSION + ".jar"), beside);
    }

    @Test
    void allThatIsInTheJarHasOurName() throws IOException {
        try (JarFile jar = new JarFile(SHADED.toFile())) {
            final Set<String> files = new HashSet<>();
            jar.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(JarEntry::getName)
                    .filter(name -> !name.startsWith(OURS) && !name.startsWith("META-INF/maven/"))
                    .forEach(files::add);
            assertEquals(
                    Set.of(
                            "META-INF/MANIFEST.MF",
                            "META-INF/LICENSE",
                            "META-INF/NOTICE",
                            "META-INF/license/LICENSE.slf4j.txt"),
                    files);
            assertEquals(
                    "org.nios2s.client", jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"));
        }
    }

    @Test
    void itsPomAsksForNoNettyAndForNothingOfNiFi() throws Exception {
        final Set<String> asked = new HashSet<>();
        try (InputStream pom = Files.newInputStream(REDUCED_POM)) {
            final NodeList dependencies = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(pom)
                    .getElementsByTagName("dependency");
            for (int i = 0; i < dependencies.getLength(); i++) {
                final Element dependency = (Element) dependencies.item(i);
                if (!"test".equals(text(dependency, "scope"))) {
                    asked.add(text(dependency, "artifactId"));
                }
            }
        }
        assertEquals(Set.of("slf4j-api"), asked);
    }

    private static String text(final Element element, final String name) {
        final NodeList found = element.getElementsByTagName(name);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent();
    }
}
