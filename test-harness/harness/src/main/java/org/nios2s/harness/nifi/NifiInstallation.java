// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.result.Machine;

/**
 * A NiFi of any version 2 as one downloads it: the directory that holds its {@code lib}, of which nothing is changed.
 * Its configuration is not used: the harness writes its own. Immutable; any thread.
 *
 * @param directory that holds {@code lib}, as an absolute path
 * @param version   of NiFi, as its framework's NAR says
 */
public record NifiInstallation(Path directory, String version) {

    /** System property that names the installation to use where none is asked for. */
    public static final String HOME_PROPERTY = "nifi.home";

    /** System property with the directory against which a relative {@link #HOME_PROPERTY} is meant, or another such directory. */
    static final String BASE_PROPERTY = "nifi.home.base";

    private static final String LIB = "lib";
    static final String LISTENER_NAR = "nifi-nio-s2s-nar";
    private static final String SINK_NAR = "sink-nar";
    private static final String NAR = ".nar";
    private static final Pattern FRAMEWORK = Pattern.compile("nifi-framework-nar-(.+)\\.nar");
    private static final String SERVED_VERSIONS = "2.";

    /**
     * The installation that {@link #HOME_PROPERTY} names, otherwise the one that this build collected, otherwise the
     * version that it was built with, as Maven resolves it.
     */
    public static NifiInstallation usual() {
        final String home = System.getProperty(HOME_PROPERTY, "");
        if (!home.isBlank()) {
            return at(fromBase(home));
        }
        final Path built = BuildOutput.modules().resolve("nifi/target/nifi");
        return Files.isDirectory(built)
                ? at(built)
                : ofVersion(Machine.versionsOfBuild().get(Machine.NIFI));
    }

    /** A directory that a system property names: relative to where mvn was called. */
    static Path fromBase(final String directory) {
        return Path.of(System.getProperty(BASE_PROPERTY, ""))
                .resolve(directory)
                .toAbsolutePath()
                .normalize();
    }

    public static NifiInstallation at(final Path home) {
        final Path directory = home.toAbsolutePath().normalize();
        final String missing = Files.isDirectory(directory)
                ? "it has no lib/nifi-framework-nar-VERSION.nar; name the directory that has lib, conf and extensions in it"
                : "there is no such directory";
        final String version = files(directory.resolve(LIB)).stream()
                .map(file -> FRAMEWORK.matcher(file.getFileName().toString()))
                .filter(Matcher::matches)
                .map(framework -> framework.group(1))
                .findFirst()
                .orElseThrow(() ->
                        new HarnessException("%s is not an installation of NiFi: %s".formatted(directory, missing)));
        if (!version.startsWith(SERVED_VERSIONS)) {
            throw new HarnessException(
                    "%s is NiFi %s: the harness starts NiFi %sx".formatted(directory, version, SERVED_VERSIONS));
        }
        return new NifiInstallation(directory, version);
    }

    /** A released version, resolved with Maven when it is first asked for. */
    public static NifiInstallation ofVersion(final String version) {
        return at(MavenNifi.resolve(version));
    }

    @Override
    public String toString() {
        return "NiFi %s in %s".formatted(version, directory);
    }

    /**
     * Puts what a NiFi loads into its home, and nothing else: NiFi's own files as links, our NARs as copies, since a build
     * overwrites them.
     */
    void install(final NifiHome home, final Listener listener) {
        link(home);
        HarnessException.attempt(e -> "Cannot copy this build's NARs into " + home.lib() + ": " + e, () -> {
            copyNar(SINK_NAR, home.lib());
            if (listener == Listener.NIO) {
                copyNar(LISTENER_NAR, home.lib());
            }
        });
    }

    /** Links to NiFi's own files. A NAR of ours among them is left out: with two of a kind NiFi does not start. */
    void link(final NifiHome home) {
        HarnessException.attempt(
                e -> "Cannot link the files of %s into %s: %s".formatted(this, home.directory(), e), () -> {
                    link(directory.resolve(LIB), home.lib());
                    link(directory.resolve("extensions"), home.extensions());
                });
    }

    private static void link(final Path from, final Path to) throws IOException {
        Files.createDirectories(to);
        for (final Path previous : files(to)) {
            Files.delete(previous);
        }
        for (final Path file : files(from)) {
            final String name = file.getFileName().toString();
            if (!name.startsWith(LISTENER_NAR) && !name.startsWith(SINK_NAR)) {
                link(file, to.resolve(name), file.toRealPath());
            }
        }
    }

    /** A hard link outlives a rebuild of what it leads to; not every file system and owner allows one. */
    private static void link(final Path file, final Path link, final Path target) throws IOException {
        try {
            Files.createLink(link, target);
        } catch (final UnsupportedOperationException | IOException e) {
            Files.createSymbolicLink(link, target);
        }
    }

    private static void copyNar(final String name, final Path lib) throws IOException {
        Files.copy(BuildOutput.nar(name + NAR), lib.resolve(name + NAR), StandardCopyOption.REPLACE_EXISTING);
    }

    /** The files in a directory, none when there is no such directory; what NiFi's start script has in directories is not run. */
    private static List<Path> files(final Path directory) {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file -> !Files.isDirectory(file)).toList();
        } catch (final IOException e) {
            throw new HarnessException("Cannot read the directory " + directory + ": " + e, e);
        }
    }
}
