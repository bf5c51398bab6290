// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.nios2s.harness.HarnessException;

/**
 * The use of a process so far, read from {@code /proc}. Immutable; any thread.
 *
 * @param cpu processor time of all its threads, user and system
 * @param residentBytes memory that is in RAM now
 * @param anonymousBytes of it, what no file backs. The kernel takes back the pages of mapped files, such as a Lucene index, when it
 *     needs them
 * @param threads number of its threads now
 */
public record ProcessUsage(Duration cpu, long residentBytes, long anonymousBytes, int threads) {

    private static final long BYTES_PER_KIBIBYTE = 1024;

    public static ProcessUsage of(final ProcessHandle process) {
        final Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        return HarnessException.attempt(e -> "Cannot read " + status + ": process " + process.pid() + " ended?", () -> {
            final List<String> lines = Files.readAllLines(status);
            final Duration cpu = process.info()
                    .totalCpuDuration()
                    .orElseThrow(
                            () -> new HarnessException("Process " + process.pid() + " does not report its CPU time"));
            return new ProcessUsage(
                    cpu,
                    number(lines, "VmRSS:") * BYTES_PER_KIBIBYTE,
                    number(lines, "RssAnon:") * BYTES_PER_KIBIBYTE,
                    Math.toIntExact(number(lines, "Threads:")));
        });
    }

    /** Reads the usage of running processes together. */
    public static ProcessUsage of(final Collection<ProcessHandle> processes) {
        return processes.stream()
                .map(ProcessUsage::of)
                .reduce(
                        new ProcessUsage(Duration.ZERO, 0, 0, 0),
                        (one, other) -> new ProcessUsage(
                                one.cpu.plus(other.cpu),
                                one.residentBytes + other.residentBytes,
                                one.anonymousBytes + other.anonymousBytes,
                                one.threads + other.threads));
    }

    private static long number(final List<String> lines, final String key) {
        return lines.stream()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(key.length()).trim().split("\\s+")[0])
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow(() -> new HarnessException("No line " + key + " in the status of the process"));
    }
}
