// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The classes of the listener, as its jar holds them. Lives on NiFi's main thread. */
final class OwnClasses {
    private static final String PACKAGE = "org/nios2s";
    private static final String SHADED = "org.nios2s.shaded.";
    private static final String SUFFIX = ".class";

    private OwnClasses() {}

    /** @return the jar, or the directory of a build */
    static Path location() {
        try {
            return Path.of(OwnClasses.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (final URISyntaxException e) {
            throw new IllegalStateException("Nobody can tell where the listener's own classes are", e);
        }
    }

    /**
     * Loads and verifies all of them, against the NiFi that is there.
     *
     * @throws IllegalStateException that names a method of NiFi's that a class of ours should have
     * @throws LinkageError if one does not fit
     */
    static void link() throws IOException, ClassNotFoundException {
        final Path location = location();
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
        if (Modifier.isAbstract(own.getModifiers())) {
            return;
        }
        for (final Method method : own.getMethods()) {
            if (Modifier.isAbstract(method.getModifiers())) {
                throw new IllegalStateException("this NiFi asks %s for %s".formatted(own.getName(), method));
            }
        }
    }
}
