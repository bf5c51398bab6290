// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.nios2s.harness.HarnessException;

/**
 * The files of an unmodified NiFi and of our NARs, as this module's build collected them beside its own jar.
 * Immutable, for any thread.
 */
final class NifiDistribution {

    /** Names the directory that holds {@code nifi-lib} and {@code nifi-extensions} when it is not the build's. */
    static final String DIRECTORY_PROPERTY = "s2s.harness.distribution";

    private static final String LISTENER_NAR = "nifi-nio-s2s-nar.nar";
    private static final String SINK_NAR = "sink-nar.nar";

    private final Path library;
    private final Path extensions;

    private NifiDistribution(final Path directory) {
        library = directory.resolve("nifi-lib");
        extensions = directory.resolve("nifi-extensions");
    }

    /**
     * The distribution of this build.
     *
     * @throws HarnessException when the build has not collected it
     */
    static NifiDistribution locate() {
        final NifiDistribution distribution = new NifiDistribution(directory());
        for (final Path needed : List.of(
                distribution.library,
                distribution.extensions.resolve(LISTENER_NAR),
                distribution.extensions.resolve(SINK_NAR))) {
            if (!Files.exists(needed)) {
                throw new HarnessException(
                        needed
                                + " is missing: build it with 'mvn -pl test-harness/harness -am package' or run test-harness/bin/s2s-harness");
            }
        }
        return distribution;
    }

    /** The directory of the harness's modules: this one's is {@code harness}. */
    static Path modules() {
        return directory().toAbsolutePath().getParent().getParent();
    }

    private static Path directory() {
        final String configured = System.getProperty(DIRECTORY_PROPERTY);
        return configured == null ? besideOwnClasses() : Path.of(configured);
    }

    /**
     * Puts what the listener needs into a NiFi's {@code lib}, and nothing else.
     * NiFi's own files are hard links where the file system allows; ours are copies, since a build overwrites them.
     */
    void install(final Path lib, final Listener listener) {
        try {
            Files.createDirectories(lib);
            try (Stream<Path> previous = Files.list(lib)) {
                for (final Path file : previous.toList()) {
                    Files.delete(file);
                }
            }
            try (Stream<Path> files = Files.list(library)) {
                for (final Path file : files.toList()) {
                    linkOrCopy(file, lib.resolve(file.getFileName()));
                }
            }
            copyNar(SINK_NAR, lib);
            if (listener == Listener.NIO) {
                copyNar(LISTENER_NAR, lib);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException("Could not put NiFi's files into " + lib, e);
        }
    }

    private void copyNar(final String name, final Path lib) throws IOException {
        Files.copy(extensions.resolve(name), lib.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    private static void linkOrCopy(final Path file, final Path link) throws IOException {
        try {
            Files.createLink(link, file);
        } catch (final UnsupportedOperationException | IOException e) {
            Files.copy(file, link, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static Path besideOwnClasses() {
        try {
            final Path classes = Path.of(NifiDistribution.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return classes.getParent();
        } catch (final URISyntaxException e) {
            throw new HarnessException("Cannot tell where the harness's own classes are", e);
        }
    }
}
