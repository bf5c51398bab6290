// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.client.examples.PushDirectory;

/** The client's jar as a module, beside what it requires and nothing of NiFi's. Lives on the test's thread. */
class ModulePathIT {
    private static final String CLIENT = "org.nios2s.client";

    private static Stream<Path> jars() {
        return RequiredJars.classPath()
                .filter(path ->
                        path.toString().endsWith(".jar") && !path.toString().endsWith("-tests.jar"))
                .filter(path -> RequiredJars.contains(path)
                        || RequiredJars.artifact(path).equals("nifi-nio-s2s-client"));
    }

    private static ModuleFinder modules() {
        return ModuleFinder.of(jars().toArray(Path[]::new));
    }

    private static ModuleLayer layer() {
        final Configuration resolved =
                ModuleLayer.boot().configuration().resolve(modules(), ModuleFinder.of(), Set.of(CLIENT));
        return ModuleLayer.boot().defineModulesWithOneLoader(resolved, ClassLoader.getPlatformClassLoader());
    }

    @Test
    void itsModuleExportsTheApiOnly() {
        final ModuleDescriptor described = modules().find(CLIENT).orElseThrow().descriptor();
        assertFalse(described.isAutomatic());
        assertEquals(
                Set.of(CLIENT, CLIENT + ".metrics"),
                described.exports().stream()
                        .filter(exported -> !exported.isQualified())
                        .map(Exports::source)
                        .collect(Collectors.toSet()));
    }

    @Test
    void aModuleSends() throws Exception {
        final Module module = layer().findModule(CLIENT).orElseThrow();
        final Class<?> site = module.getClassLoader().loadClass(CLIENT + ".SiteToSite");
        final Class<?> entry = module.getClassLoader().loadClass(CLIENT + ".NioSiteToSite");
        assertTrue(site.getModule().isNamed());
        final Class<?> packet = module.getClassLoader().loadClass(CLIENT + ".Packet");
        final Class<?> input = module.getClassLoader().loadClass(CLIENT + ".InputPort");
        final Class<?> settings = module.getClassLoader().loadClass(CLIENT + ".SiteToSite$Builder");
        try (ScriptedServer server = new ScriptedServer()) {
            final Object builder = entry.getMethod("builder").invoke(null);
            settings.getMethod("address", String.class, int.class).invoke(builder, "127.0.0.1", server.port());
            try (AutoCloseable nifi =
                    (AutoCloseable) settings.getMethod("build").invoke(builder)) {
                final Object port = site.getMethod("inputPort", String.class).invoke(nifi, "port-id");
                final Object one = packet.getMethod("of", Map.class, byte[].class)
                        .invoke(null, Map.of("name", "one"), new byte[1]);
                Outcomes.await(
                        (CompletableFuture<?>) input.getMethod("send", packet).invoke(port, one));
            }
            assertEquals(1, server.committed.size());
        }
    }

    @Test
    void anImageOfJavaWithTheseModulesSends(@TempDir final Path directory) throws Exception {
        final Path image = directory.resolve("image");
        final StringWriter said = new StringWriter();
        final PrintWriter words = new PrintWriter(said);
        final int ended = ToolProvider.findFirst("jlink")
                .orElseThrow()
                .run(
                        words,
                        words,
                        "--module-path",
                        jars().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                        "--add-modules",
                        CLIENT,
                        "--output",
                        image.toString());
        assertEquals(0, ended, said::toString);
        final Path files = Files.createDirectory(directory.resolve("files"));
        Files.writeString(files.resolve("a.txt"), "content");
        final Path program = Path.of(PushDirectory.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (ScriptedServer server = new ScriptedServer()) {
            final Process java = new ProcessBuilder(
                            image.resolve("bin/java").toString(),
                            "--add-modules",
                            CLIENT,
                            "-cp",
                            program.toString(),
                            PushDirectory.class.getName(),
                            "127.0.0.1",
                            "" + server.port(),
                            "port-id",
                            files.toString())
                    .inheritIO()
                    .start();
            try {
                assertTrue(java.waitFor(Outcomes.NEVER.toSeconds(), TimeUnit.SECONDS));
            } finally {
                java.destroyForcibly();
            }
            assertEquals(0, java.exitValue());
            assertEquals(1, server.committed.size());
        }
    }
}
