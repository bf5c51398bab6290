// SPDX-License-Identifier: Apache-2.0
package org.nios2s.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.nios2s.harness.nifi.Jcmd;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.ProcessUsage;

/**
 * What a NiFi holds.
 * Immutable, for any thread.
 *
 * @param heapBytes      of heap, after a collection
 * @param residentBytes  of memory in RAM
 * @param anonymousBytes of it, what no file backs. The rest are pages of mapped files, which the kernel may take back
 * @param threads        of its process
 * @param descriptors    open files and sockets
 */
record Vitals(long heapBytes, long residentBytes, long anonymousBytes, int threads, long descriptors) {

    private static final long MEBIBYTE = 1024L * 1024;

    /** Collects the garbage first, which makes NiFi stand still for a moment. */
    static Vitals of(final NifiNode nifi) {
        final ProcessHandle process = process(nifi);
        return of(process, new Jcmd(process).heapAfterCollection());
    }

    /** Disturbs nobody; says nothing of the heap. */
    static Vitals withoutHeap(final NifiNode nifi) {
        return of(process(nifi), 0);
    }

    private static Vitals of(final ProcessHandle process, final long heap) {
        final ProcessUsage usage = ProcessUsage.of(process);
        return new Vitals(
                heap, usage.residentBytes(), usage.anonymousBytes(), usage.threads(), descriptors(process.pid()));
    }

    private static ProcessHandle process(final NifiNode nifi) {
        return ProcessHandle.of(nifi.info().pid()).orElseThrow();
    }

    /** Files and sockets that a process has open. */
    static long descriptors(final long pid) {
        return open(pid, descriptor -> true);
    }

    /** Sockets that a process has open; beside them NiFi has more or fewer files of its repositories open. */
    static long sockets(final long pid) {
        return open(pid, Vitals::isSocket);
    }

    private static long open(final long pid, final Predicate<Path> counted) {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return open.filter(counted).count();
        } catch (final IOException e) {
            throw new IllegalStateException("Cannot list the open files of process " + pid, e);
        }
    }

    private static boolean isSocket(final Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (final IOException e) {
            return false; // closed meanwhile
        }
    }

    @Override
    public String toString() {
        return "%d MiB of heap, %d MiB resident (%d MiB anonymous), %d threads, %d descriptors"
                .formatted(
                        heapBytes / MEBIBYTE,
                        residentBytes / MEBIBYTE,
                        anonymousBytes / MEBIBYTE,
                        threads,
                        descriptors);
    }
}
