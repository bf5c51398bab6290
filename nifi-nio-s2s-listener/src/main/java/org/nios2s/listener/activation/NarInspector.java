// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * The inspection of our own NAR, as NiFi has unpacked it: the classes in its jar, and other versions of the NAR beside it, of which
 * NiFi loads one without a word. Lives on NiFi's main thread.
 */
final class NarInspector {
    private static final String PACKAGE = "org/nios2s";
    private static final String SHADED = "org.nios2s.shaded.";
    private static final String SUFFIX = ".class";
    private static final String BUNDLED = "NAR-INF/bundled-dependencies";
    private static final String MANIFEST = "META-INF/MANIFEST.MF";
    private static final Attributes.Name ID = new Attributes.Name("Nar-Id");
    private static final Attributes.Name VERSION = new Attributes.Name("Nar-Version");

    private NarInspector() {}

    /** @return the jar with our classes, or the directory of a build */
    static Path jar() throws URISyntaxException {
        return Path.of(NarInspector.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    /** Loads and verifies all classes against this NiFi; throws an error that names one that does not fit. */
    static void link() throws IOException, ClassNotFoundException, URISyntaxException {
        final Path location = jar();
        try (FileSystem jar = Files.isDirectory(location) ? null : FileSystems.newFileSystem(location)) {
            final Path root = jar == null ? location : jar.getPath("/");
            try (Stream<Path> files = Files.walk(root.resolve(PACKAGE))) {
                for (final Path file : files.toList()) {
                    final String name = root.relativize(file)
                            .toString()
                            .replace(file.getFileSystem().getSeparator(), ".");
                    if (name.endsWith(SUFFIX) && !name.startsWith(SHADED)) {
                        failIfIncomplete(Class.forName(name.substring(0, name.length() - SUFFIX.length())));
                    }
                }
            }
        }
    }

    private static void failIfIncomplete(final Class<?> own) {
        for (final Method method : own.getMethods()) {
            if (Modifier.isAbstract(method.getModifiers()) && !Modifier.isAbstract(own.getModifiers())) {
                throw new IllegalStateException(
                        "this NiFi requires that %s implements %s".formatted(own.getName(), method));
            }
        }
    }

    /**
     * @param jar with our classes, in an unpacked NAR
     * @return the version that serves and those to remove; empty if there is only one
     */
    static Optional<String> otherVersions(final Path jar) throws IOException {
        final Path directory = jar.getParent();
        if (directory == null || !directory.endsWith(BUNDLED)) {
            return Optional.empty();
        }
        final Path nar = directory.getParent().getParent();
        final Attributes own = manifest(nar);
        try (Stream<Path> siblings = Files.list(nar.getParent())) {
            final List<String> others = new ArrayList<>();
            for (final Path sibling : siblings.sorted().toList()) {
                final Attributes manifest = manifest(sibling);
                if (!sibling.equals(nar) && own.getValue(ID).equals(manifest.getValue(ID))) {
                    others.add(manifest.getValue(VERSION));
                }
            }
            if (others.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(
                    "version %s serves; remove %s".formatted(own.getValue(VERSION), String.join(" and ", others)));
        }
    }

    private static Attributes manifest(final Path nar) throws IOException {
        final Path file = nar.resolve(MANIFEST);
        if (!Files.isRegularFile(file)) {
            return new Attributes();
        }
        try (InputStream in = Files.newInputStream(file)) {
            return new Manifest(in).getMainAttributes();
        } catch (final IOException e) {
            throw new IOException(file + " can't be read: " + e.getMessage(), e);
        }
    }
}
