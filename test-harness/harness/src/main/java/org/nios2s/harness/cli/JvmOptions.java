// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.nios2s.harness.HarnessException;
import picocli.CommandLine.Option;

/**
 * The options that say how a measured JVM collects garbage and whether it is recorded.
 * For one thread.
 */
final class JvmOptions {

    @Option(
            names = "--gc",
            description =
                    "Garbage collector of what is started: ${COMPLETION-CANDIDATES}; default: the JVM's own choice.")
    private Collector collector;

    @Option(
            names = "--flight-recording",
            paramLabel = "DIR",
            description = "Keeps a flight recording of every process that is started, DIR/<name>.jfr.")
    private Path recordings;

    /** The collectors of the JDK. A constant, any thread. */
    enum Collector {
        /** One thread, everything stands still. */
        SERIAL("-XX:+UseSerialGC"),
        /** Many threads, everything stands still. */
        PARALLEL("-XX:+UseParallelGC"),
        /** Region by region. */
        G1("-XX:+UseG1GC"),
        /** Beside the application. */
        Z("-XX:+UseZGC"),
        /** Beside the application, Red Hat's. */
        SHENANDOAH("-XX:+UseShenandoahGC");

        private final String flag;

        Collector(final String flag) {
            this.flag = flag;
        }
    }

    /**
     * Arguments of a JVM.
     *
     * @param process its name, fit for the name of a file
     */
    List<String> arguments(final String process) {
        final List<String> arguments = new ArrayList<>();
        if (collector != null) {
            arguments.add(collector.flag);
        }
        if (recordings != null) {
            try {
                Files.createDirectories(recordings);
            } catch (final IOException e) {
                throw new HarnessException("Cannot make the directory " + recordings + " for recordings: " + e, e);
            }
            arguments.add("-XX:StartFlightRecording=dumponexit=true,filename="
                    + recordings.toAbsolutePath().resolve(process + ".jfr"));
        }
        return arguments;
    }
}
