// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.nios2s.harness.HarnessException;

/**
 * The directory of one NiFi: {@code lib}, {@code extensions}, {@code conf}, {@code logs}, {@code ledger} and NiFi's repositories.
 * Immutable; any thread.
 *
 * @param directory as an absolute path
 */
public record NifiHome(Path directory) {

    private static final int DIGITS = 16;

    /** A directory without this file is not touched. */
    public static final String MARKER = ".s2s-harness-home";

    /** The home in a directory, wherever it is seen from. */
    public NifiHome {
        directory = directory.toAbsolutePath().normalize();
    }

    /** Makes the directory, or makes sure that it is one of ours and that no NiFi runs in it. */
    void prepare(final boolean fresh) {
        failIfBelowAFile();
        HarnessException.attempt(e -> "Cannot make the home " + directory + " of a NiFi", () -> {
            if (Files.isDirectory(directory) && !Files.exists(directory.resolve(MARKER)) && !isEmpty()) {
                throw new HarnessException(
                        directory + " is neither empty nor the home of a NiFi of this harness: choose another --home");
            }
            failIfInUse();
            if (fresh && Files.isDirectory(directory)) {
                deleteWhat(directory, file -> !file.equals(directory) && !file.equals(directory.resolve(MARKER)));
            }
            Files.createDirectories(logs());
            if (!Files.exists(directory.resolve(MARKER))) {
                Files.createFile(directory.resolve(MARKER));
            }
        });
    }

    private void failIfBelowAFile() {
        for (Path place = directory; place != null; place = place.getParent()) {
            if (Files.exists(place) && !Files.isDirectory(place)) {
                throw new HarnessException(place + " is a file, no directory: choose another --home");
            }
        }
    }

    /** Does something while nobody else starts a NiFi here. */
    void exclusively(final Runnable action) {
        try (FileChannel channel = FileChannel.open(directory.resolve(MARKER), StandardOpenOption.WRITE)) {
            if (!tryLock(channel)) {
                throw new HarnessException(
                        "A NiFi is being started in " + directory + " right now: choose another --home");
            }
            action.run();
        } catch (final IOException e) {
            throw new HarnessException("Cannot lock the home " + directory, e);
        }
    }

    void failIfInUse() {
        NifiCluster.attach(directory).stream().findFirst().ifPresent(running -> {
            throw new HarnessException(
                    "A NiFi, process %d, runs in %s: stop it with 'nifi stop --home %s' or choose another --home"
                            .formatted(
                                    running.info().pid(), running.info().files().home(), directory));
        });
    }

    Path lib() {
        return directory.resolve("lib");
    }

    Path extensions() {
        return directory.resolve("extensions");
    }

    /** The first digits of the SHA-256 of the NIO listener's NAR; null where there is none. */
    String listenerDigest() {
        return HarnessException.attempt(e -> "Cannot read the NAR in " + extensions(), () -> {
            try (Stream<Path> nars = Files.list(extensions())) {
                final Optional<Path> nar = nars.filter(
                                file -> file.getFileName().toString().startsWith(NifiInstallation.LISTENER_NAR))
                        .findFirst();
                return nar.isEmpty() ? null : digest(Files.readAllBytes(nar.get()));
            }
        });
    }

    private static String digest(final byte[] file) {
        return DigestUtils.sha256Hex(file).substring(0, DIGITS);
    }

    Path conf() {
        return directory.resolve("conf");
    }

    Path logs() {
        return directory.resolve("logs");
    }

    Path ledger() {
        return directory.resolve("ledger");
    }

    /** Deletes a directory with all that is in it. */
    public static void delete(final Path tree) {
        HarnessException.attempt(e -> "Cannot delete " + tree + ": " + e, () -> deleteWhat(tree, file -> true));
    }

    private static void deleteWhat(final Path tree, final Predicate<Path> wanted) throws IOException {
        final List<Path> files;
        try (Stream<Path> found = Files.walk(tree)) {
            files = found.filter(wanted).sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path file : files) {
            Files.delete(file);
        }
    }

    private boolean isEmpty() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        }
    }

    /** Takes a lock, which ends when the channel is closed: whether nobody else has it, not even this process. */
    public static boolean tryLock(final FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (final OverlappingFileLockException e) {
            return false;
        }
    }
}
