// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.HarnessResource;

/**
 * The machine that an experiment was on, and the versions of what ran: absolute figures mean nothing without it. Immutable,
 * any thread.
 *
 * @param processors      processors that this process may use
 * @param processorModel  their model
 * @param memoryMebibytes memory of the machine
 * @param system          operating system and architecture
 * @param java            version of this process's Java
 * @param versions        versions of the harness and of what it brings along, by name
 */
public record Machine(
        int processors,
        String processorModel,
        long memoryMebibytes,
        String system,
        String java,
        Map<String, String> versions) {

    /** The version of NiFi that the build puts together, in {@link #versionsOfBuild}. */
    public static final String NIFI = "NiFi";

    /** The name of this project's commit among the versions; only a clone of its repository has one. */
    public static final String COMMIT = "commit";

    private static final String COMMIT_PROPERTY = "s2s.harness.commit";
    private static final String UNKNOWN = "unknown";
    private static final Path PROCESSOR_LIST = Path.of("/proc/cpuinfo");
    private static final long MEBIBYTE = 1024L * 1024;

    /** This machine, with the versions of this build, but of the NiFis that were measured, as far as they are known. */
    public static Machine current(final Set<String> measured) {
        final Map<String, String> versions = versionsOfBuild();
        versions.put(NIFI, measured.isEmpty() ? UNKNOWN : String.join(", ", measured));
        final String commit = System.getProperty(COMMIT_PROPERTY, "");
        if (!commit.isEmpty()) {
            versions.put(COMMIT, commit);
        }
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                model(),
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize() / MEBIBYTE,
                Stream.of("os.name", "os.version", "os.arch")
                        .map(System::getProperty)
                        .collect(Collectors.joining(" ")),
                System.getProperty("java.vendor.version", "") + " " + Runtime.version(),
                versions);
    }

    /** The same but for the commit: what two commits can be compared on. */
    public Machine withoutCommit() {
        final Map<String, String> others = new TreeMap<>(versions);
        others.remove(COMMIT);
        return new Machine(processors, processorModel, memoryMebibytes, system, java, others);
    }

    /** The versions of this build and of what it brings along, by name. */
    public static Map<String, String> versionsOfBuild() {
        return HarnessResource.text(Machine.class, "versions.txt")
                .lines()
                .map(line -> line.split("=", 2))
                .collect(Collectors.toMap(
                        pair -> pair[0].strip(), pair -> pair[1].strip(), (one, other) -> other, TreeMap::new));
    }

    private static String model() {
        if (!Files.isReadable(PROCESSOR_LIST)) {
            return UNKNOWN;
        }
        try (Stream<String> lines = Files.lines(PROCESSOR_LIST)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(UNKNOWN);
        } catch (final IOException | UncheckedIOException e) {
            return UNKNOWN + " (" + e.getMessage() + ")";
        }
    }
}
