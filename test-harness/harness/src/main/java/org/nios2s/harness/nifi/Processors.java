// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.nios2s.harness.HarnessException;

/**
 * The processors of this machine, of which {@code taskset} gives a process some. Immutable; any thread.
 *
 * @param selectable whether there is {@code taskset}
 * @param usable     numbers of those that the harness itself may use
 */
public record Processors(boolean selectable, List<Integer> usable) {

    /** As many as there are. */
    public static final int ALL = 0;

    private static final String TASKSET = "taskset";
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";

    /** Copies the numbers. */
    public Processors {
        usable = List.copyOf(usable);
    }

    /** The processors that the harness may use now, by its affinity and by the limit of its container. */
    public static Processors ofThisMachine() {
        if (!Files.isReadable(STATUS)) {
            return new Processors(false, List.of());
        }
        final boolean selectable = Stream.of(
                        System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(directory -> Path.of(directory, TASKSET))
                .anyMatch(Files::isExecutable);
        final List<String> status = HarnessException.attempt(
                e -> "Cannot read the processors of this process from " + STATUS + ": " + e,
                () -> Files.readAllLines(STATUS));
        final List<Integer> allowed = status.stream()
                .filter(line -> line.startsWith(ALLOWED))
                .flatMap(line -> numbers(line.substring(ALLOWED.length())))
                .limit(Runtime.getRuntime().availableProcessors())
                .toList();
        return new Processors(selectable, allowed);
    }

    /** The numbers of a list of the kernel, such as {@code 0-3,6}. */
    static Stream<Integer> numbers(final String list) {
        return Arrays.stream(list.strip().split(",")).flatMap(range -> {
            final String[] ends = range.split("-");
            return IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))
                    .boxed();
        });
    }

    /** Refuses a number that a process cannot be given; the message of an exception is fit for a user. */
    public void check(final int number) {
        if (number == ALL) {
            return;
        }
        if (!selectable) {
            throw new IllegalArgumentException(
                    "processors %d needs the command taskset (of util-linux), which is not there: install it, or leave processors out"
                            .formatted(number));
        }
        if (number > usable.size()) {
            throw new IllegalArgumentException(
                    "processors %d is more than the harness may use here, %d: write at most %d"
                            .formatted(number, usable.size(), usable.size()));
        }
    }

    /** The words before the command of a process that is to have so many; none for {@link #ALL}. */
    public List<String> command(final int number) {
        check(number);
        if (number == ALL) {
            return List.of();
        }
        final String list = usable.stream().limit(number).map(String::valueOf).collect(Collectors.joining(","));
        return List.of(TASKSET, "--cpu-list", list);
    }
}
