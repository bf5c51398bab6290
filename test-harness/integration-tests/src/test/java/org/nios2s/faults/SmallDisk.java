// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file system of its own in a directory, small enough to be filled, which only root can mount.
 * For one thread.
 */
final class SmallDisk implements AutoCloseable {

    private static final int BLOCK_BYTES = 64 * 1024;

    private final Path directory;

    private SmallDisk(final Path directory) {
        this.directory = directory;
    }

    static boolean isPossible() {
        return "root".equals(System.getProperty("user.name")) && Files.isExecutable(Path.of("/usr/bin/mount"));
    }

    static SmallDisk mount(final Path directory, final int mebibytes) throws IOException {
        Files.createDirectories(directory);
        run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "tmpfs", directory.toString());
        return new SmallDisk(directory);
    }

    /** Leaves no byte to anybody. */
    void fill() {
        final byte[] block = new byte[BLOCK_BYTES];
        try (OutputStream filler = Files.newOutputStream(filler())) {
            while (true) {
                filler.write(block);
            }
        } catch (final IOException e) {
            // Now it is full.
            return;
        }
    }

    /** Gives back what {@link #fill} took. */
    void empty() throws IOException {
        Files.delete(filler());
    }

    private Path filler() {
        return directory.resolve("filler");
    }

    @Override
    public void close() {
        run("umount", "-l", directory.toString());
    }

    private static void run(final String... command) {
        try {
            final Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            final String said = new String(process.getInputStream().readAllBytes());
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + said);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
