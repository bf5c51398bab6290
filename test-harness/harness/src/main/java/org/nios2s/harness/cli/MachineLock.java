// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.NifiHome;

/**
 * One measurement at a time on a machine: two would spoil each other. The operating system lets go of it when the process
 * ends, however it ends. Used on the command's thread.
 */
record MachineLock(FileChannel channel) implements AutoCloseable {

    /** Takes the lock, and waits for another measurement to end if that is wanted. */
    static MachineLock take(final boolean wait) {
        final Path file = Path.of(System.getProperty(
                "s2s.harness.lock",
                Path.of(System.getProperty("java.io.tmpdir"), "s2s-harness.lock")
                        .toString()));
        return HarnessException.attempt(e -> "Cannot lock " + file + ", by which measurements take turns: " + e, () -> {
            final FileChannel channel = open(file);
            if (wait) {
                channel.lock();
            } else if (!NifiHome.tryLock(channel)) {
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
        });
    }

    private static String read(final FileChannel channel) throws IOException {
        final byte[] bytes = Channels.newInputStream(channel).readAllBytes();
        return new String(bytes, StandardCharsets.US_ASCII).strip();
    }

    private static FileChannel open(final Path file) throws IOException {
        final boolean fresh = Files.notExists(file);
        final FileChannel channel =
                // In a directory of everybody's a link of somebody else's could lead anywhere.
                FileChannel.open(
                        file,
                        Set.of(
                                StandardOpenOption.CREATE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE,
                                LinkOption.NOFOLLOW_LINKS));
        if (fresh && file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        }
        return channel;
    }

    @Override
    public void close() {
        HarnessException.attempt(e -> "Cannot let go of the machine's lock: " + e, () -> channel.close());
    }
}
