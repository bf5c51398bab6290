// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The files of one run of the command that do not have their own names yet, and a file that is locked while the run lives. Belongs
 * to the main thread.
 *
 * <p>A run that is killed leaves its files behind. The next run in the same directory finds their lock free, and deletes them.
 */
final class PartFiles implements AutoCloseable {
    private static final String PREFIX = ".s2s-";
    private static final String LOCK = ".lock";
    private static final String NOT_LOCKED_YET = ".new";
    private static final String PART = ".part";

    private final Path directory;
    private final String run = PREFIX + UUID.randomUUID();
    private final FileChannel lock;
    private int parts;

    private PartFiles(final Path directory) throws IOException {
        this.directory = directory;
        // Until it is locked it has another name: a run that begins at this moment would take it for an abandoned one.
        final Path notLockedYet = directory.resolve(run + NOT_LOCKED_YET);
        this.lock = FileChannel.open(notLockedYet, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        if (isLocked(lock)) {
            Files.move(notLockedYet, lockFile(), StandardCopyOption.ATOMIC_MOVE);
        } else {
            // Without it nobody takes the files of this run for abandoned ones.
            Files.delete(notLockedYet);
            lock.close();
        }
    }

    /** Deletes what killed runs have left in the directory, and begins another run. */
    static PartFiles in(final Path directory) throws IOException {
        for (final Path lockFile : files(directory, PREFIX, LOCK)) {
            // Others may write into the directory: a pipe of that name would block.
            if (Files.isRegularFile(lockFile, LinkOption.NOFOLLOW_LINKS)) {
                deleteIfAbandoned(directory, lockFile);
            }
        }
        return new PartFiles(directory);
    }

    private static void deleteIfAbandoned(final Path directory, final Path lockFile) {
        final String name = lockFile.getFileName().toString();
        final String run = name.substring(0, name.length() - LOCK.length());
        try (FileChannel file = FileChannel.open(lockFile, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                FileLock free = file.tryLock()) {
            if (free != null) {
                for (final Path part : files(directory, run + "-", PART)) {
                    Files.deleteIfExists(part);
                }
                Files.deleteIfExists(lockFile);
            }
        } catch (final IOException | OverlappingFileLockException e) {
            // The files are another user's or in use, or the file system has no locks: they stay.
        }
    }

    private static List<Path> files(final Path directory, final String beginning, final String end) throws IOException {
        final List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory)) {
            for (final Path file : all) {
                final String name = file.getFileName().toString();
                if (name.startsWith(beginning) && name.endsWith(end)) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    private static boolean isLocked(final FileChannel file) {
        try {
            return file.tryLock() != null;
        } catch (final IOException e) {
            // The file system has no locks.
            return false;
        }
    }

    private Path lockFile() {
        return directory.resolve(run + LOCK);
    }

    /** @return the name of a file that is not there yet */
    Path next() {
        parts++;
        return directory.resolve(run + "-" + parts + PART);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(lockFile());
        lock.close();
    }
}
