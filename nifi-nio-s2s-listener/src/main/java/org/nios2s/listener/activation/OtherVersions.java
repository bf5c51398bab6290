// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/**
 * Other versions of our NAR in the same NiFi, which takes one of them and says nothing. Lives on NiFi's main thread.
 *
 * <p>NiFi unpacks its NARs side by side, and leaves there only those that it has loaded.
 */
final class OtherVersions {
    private static final String BUNDLED = "NAR-INF/bundled-dependencies";
    private static final String MANIFEST = "META-INF/MANIFEST.MF";
    private static final Attributes.Name ID = new Attributes.Name("Nar-Id");
    private static final Attributes.Name VERSION = new Attributes.Name("Nar-Version");

    private OtherVersions() {}

    /**
     * @param jar of ours, in an unpacked NAR
     * @return which version serves, and what to remove; empty if there is but one
     */
    static Optional<String> beside(final Path jar) throws IOException {
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
            return Optional.of("version %s serves; remove %s"
                            .formatted(own.getValue(VERSION), String.join(" and ", others)))
                    .filter(text -> !others.isEmpty());
        }
    }

    private static Attributes manifest(final Path nar) throws IOException {
        final Path file = nar.resolve(MANIFEST);
        if (!Files.isRegularFile(file)) {
            return new Attributes();
        }
        try (InputStream in = Files.newInputStream(file)) {
            return new Manifest(in).getMainAttributes();
        }
    }
}
