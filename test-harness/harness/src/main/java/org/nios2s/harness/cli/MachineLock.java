// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.nios2s.harness.HarnessException;

/**
 * One measurement at a time on a machine: two would spoil each other. The operating system lets go of it when the process
 * ends, however it ends. Used on the command's thread.
 */
final class MachineLock implements AutoCloseable {

    private static final String PROPERTY = "s2s.harness.lock";
    private static final String NAME = "s2s-harness.lock";
    private static final int LONGEST = 64;

    private final FileChannel channel;

    private MachineLock(final FileChannel channel) {
        this.channel = channel;
    }

    /** Takes the lock, and waits for another measurement to end if that is wanted. */
    static MachineLock take(final boolean wait) {
        final Path file = Path.of(System.getProperty(
                PROPERTY, Path.of(System.getProperty("java.io.tmpdir"), NAME).toString()));
        try {
            final FileChannel channel = open(file);
            final FileLock lock = wait ? channel.lock() : tryLock(channel);
            if (lock == null) {
                final String holder = read(channel);
                channel.close();
                throw new HarnessException(
                        "Another measurement, process %s, runs on this machine, and two would spoil each other: wait for it with --wait"
                                .formatted(holder));
            }
            channel.truncate(0);
            channel.write(
                    StandardCharsets.US_ASCII.encode(ProcessHandle.current().pid() + "\n"), 0);
            return new MachineLock(channel);
        } catch (final IOException e) {
            throw new HarnessException("Cannot lock " + file + ", by which measurements take turns: " + e, e);
        }
    }

    private static String read(final FileChannel channel) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(LONGEST);
        channel.read(bytes, 0);
        return StandardCharsets.US_ASCII.decode(bytes.flip()).toString().strip();
    }

    private static FileLock tryLock(final FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (final OverlappingFileLockException e) {
            // Held by this very process.
            return null;
        }
    }

    private static FileChannel open(final Path file) throws IOException {
        final boolean fresh = Files.notExists(file);
        final FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        if (fresh && file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        }
        return channel;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (final IOException e) {
            throw new HarnessException("Cannot let go of the machine's lock: " + e, e);
        }
    }
}
