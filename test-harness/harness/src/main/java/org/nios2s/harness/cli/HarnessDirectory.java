// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiHome;
import org.nios2s.harness.nifi.NifiNode;

/**
 * Where the harness keeps the homes of NiFis and its results: in the project, wherever it is called from. Stateless, used
 * on the command's thread.
 */
final class HarnessDirectory {

    /** Results, when the user names no other place. */
    static final String RESULTS = "results";

    private static final String HOMES = ".s2s-harness";

    private HarnessDirectory() {}

    static Path resolve(final String name) {
        return Path.of(System.getProperty("s2s.harness.project", ""), name).toAbsolutePath();
    }

    static Path measured() {
        return resolve(HOMES).resolve("measured");
    }

    /** Every home below the project's directory, whether a NiFi runs there or not. */
    static List<Path> homes() {
        final Path all = resolve(HOMES);
        if (!Files.isDirectory(all)) {
            return List.of();
        }
        try (Stream<Path> files = Files.find(all, 4, (file, attributes) -> file.endsWith(NifiHome.MARKER))) {
            return files.map(Path::getParent).sorted().toList();
        } catch (final IOException e) {
            throw new HarnessException("Cannot look through " + all + ": " + e, e);
        }
    }

    /** The NiFis that run in homes below a directory, nodes of clusters apart. */
    static List<NifiNode> running(final Path below) {
        final Map<Long, NifiNode> running = new LinkedHashMap<>();
        homes().stream()
                .filter(home -> home.startsWith(below))
                .flatMap(home -> NifiCluster.attach(home).stream())
                .forEach(found -> running.putIfAbsent(found.info().pid(), found));
        return List.copyOf(running.values());
    }

    /** How much the files below a directory take. */
    static long bytes(final Path below) {
        if (!Files.isDirectory(below)) {
            return 0;
        }
        try (Stream<Path> files = Files.walk(below)) {
            return files.map(Path::toFile)
                    .filter(File::isFile)
                    .mapToLong(File::length)
                    .sum();
        } catch (final IOException | UncheckedIOException e) {
            // Something ends there and deletes its files: what stays is not known.
            return 0;
        }
    }

    static List<NifiNode> running() {
        return running(resolve(HOMES));
    }
}
