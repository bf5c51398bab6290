// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.nios2s.harness.result.ObservedServer;

/**
 * Finds the Site-to-Site listener of a process by its threads. Stateless; any thread; a call blocks for some
 * milliseconds, one that asks the JVM for a second.
 */
public final class ServerThreads {

    /** Linux keeps the first 15 characters of a thread's name. */
    private static final String OURS = "Site-to-Site NI";

    private static final String STOCK = "Site-to-Site Li";
    private static final String WORKER = "\"Site-to-Site NIO Worker";
    private static final String POOL = "\"Timer-Driven Process Thread";

    private ServerThreads() {}

    /** The listener that has threads in a process now; the process notices nothing. */
    public static String listener(final ProcessHandle process) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
            return listener(threads.map(ServerThreads::name).toList());
        } catch (final IOException | UncheckedIOException e) {
            return ObservedServer.UNKNOWN;
        }
    }

    static String listener(final List<String> names) {
        final boolean ours = names.contains(OURS);
        final boolean stock = names.contains(STOCK);
        if (ours && stock) {
            return ObservedServer.NIO + " and " + ObservedServer.STOCK;
        }
        if (ours) {
            return ObservedServer.NIO;
        }
        return stock ? ObservedServer.STOCK : ObservedServer.NONE;
    }

    private static String name(final Path thread) {
        try {
            return Files.readString(thread.resolve("comm")).strip();
        } catch (final IOException e) {
            // It has ended meanwhile.
            return "";
        }
    }

    /** How the workers of the NIO listener wait for sockets, by a dump of all threads; null when there are none. */
    static String transport(final String dump) {
        boolean worker = false;
        for (final String line : dump.split("\n")) {
            if (line.startsWith("\"")) {
                worker = line.startsWith(WORKER);
            } else if (worker && line.contains(".epoll.Native")) {
                return "epoll";
            } else if (worker && line.contains("sun.nio.ch.")) {
                return "nio";
            }
        }
        return null;
    }

    static String scheduling(final String dump) {
        return dump.contains(POOL) ? "a pool of threads" : "no pool of threads";
    }
}
