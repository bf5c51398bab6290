// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Whether a process still runs. Stateless; any thread; waiting blocks the thread that waits. */
public final class Liveness {

    private static final char ZOMBIE = 'Z';

    private Liveness() {}

    /**
     * Whether it can do anything. One that has ended and was not reaped by its parent cannot, though the JVM calls it alive: in
     * a container, whose first process reaps nobody, it stays so.
     */
    public static boolean isAlive(final ProcessHandle process) {
        return process.isAlive() && !isZombie(process);
    }

    /** Waits until it has ended, if it does in time. */
    static boolean awaitEnd(final ProcessHandle process, final Deadline deadline) {
        while (isAlive(process) && !deadline.passed()) {
            deadline.pause();
        }
        return !isAlive(process);
    }

    private static boolean isZombie(final ProcessHandle process) {
        final Path directory = Path.of("/proc", Long.toString(process.pid()));
        if (!Files.isReadable(directory.resolve("stat"))) {
            return false;
        }
        try (Stream<Path> threads = Files.list(directory.resolve("task"))) {
            final String stat = Files.readString(directory.resolve("stat"));
            // The state stands behind the name, which is in parentheses and may
            // contain any character. It is that of the first thread, which ends before
            // the others do: only with the last of them are sockets and files closed.
            return stat.charAt(stat.lastIndexOf(')') + 2) == ZOMBIE && threads.count() <= 1;
        } catch (final IOException | StringIndexOutOfBoundsException e) {
            // It ended and was reaped between the two looks.
            return !process.isAlive();
        }
    }
}
