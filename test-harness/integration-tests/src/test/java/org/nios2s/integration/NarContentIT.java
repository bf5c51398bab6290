// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import org.junit.jupiter.api.Test;

/** What the NAR brings into a NiFi. Lives on the test's thread. */
class NarContentIT {
    private static final Path NAR = Path.of("..", "harness", "target", "nifi-extensions", "nifi-nio-s2s-nar.nar");
    private static final String CLASS = ".class";
    private static final int PACKAGE_PARTS = 3;

    /** @return the packages of all jars in the NAR, each as its first three parts */
    private static Set<String> packages() throws IOException {
        final Set<String> packages = new TreeSet<>();
        try (JarInputStream nar = new JarInputStream(Files.newInputStream(NAR))) {
            for (JarEntry entry = nar.getNextJarEntry(); entry != null; entry = nar.getNextJarEntry()) {
                if (entry.getName().endsWith(".jar")) {
                    addPackages(nar, packages);
                }
            }
        }
        return packages;
    }

    private static void addPackages(final InputStream bytes, final Set<String> packages) throws IOException {
        // Not closed: the NAR goes on behind it.
        final JarInputStream jar = new JarInputStream(bytes);
        for (JarEntry entry = jar.getNextJarEntry(); entry != null; entry = jar.getNextJarEntry()) {
            final String[] parts = entry.getName().split("/");
            if (entry.getName().endsWith(CLASS) && parts.length > PACKAGE_PARTS) {
                packages.add(String.join(".", parts[0], parts[1], parts[2]));
            }
        }
    }

    @Test
    void theNarBringsTheListenerTheWireFormatAndWhatBothUse() throws IOException {
        assertTrue(Files.exists(NAR), NAR::toString);
        assertEquals(Set.of("org.nios2s.listener", "org.nios2s.shaded", "org.nios2s.wire"), packages());
    }
}
