// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.nio.file.Path;
import org.nios2s.harness.scenario.FlightRecording;
import org.nios2s.harness.scenario.Target;
import picocli.CommandLine.Option;

/**
 * The option that has one more run of each kind recorded, which does not count: the recording costs a little.
 * For one thread.
 */
final class ProfileOption {

    @Option(
            names = "--profile",
            description = "Does one more run of each kind, which does not count, with a flight recording of NiFi;"
                    + " leaves it and a flame graph beside the result.")
    private boolean profile;

    /** What is recorded. */
    interface Work {
        /** Does it once. */
        void run() throws InterruptedException;
    }

    /**
     * Does the work under a recording of the server, if that is wanted and its process is at hand.
     *
     * @param label   name of the recording's files
     * @param target  what is recorded
     * @param results get the files, and a remark with their names
     * @param work    what is done meanwhile
     */
    void record(final String label, final Target target, final ResultsOption results, final Work work)
            throws InterruptedException {
        if (!profile || target.process() == null) {
            return;
        }
        final Path recording = results.file("profile-" + label + ".jfr");
        final Path flameGraph = results.file("profile-" + label + ".html");
        final FlightRecording flight = new FlightRecording(target.process());
        work.run();
        flight.stop(recording, flameGraph);
        results.remark("profile of %s: %s, recorded in %s"
                .formatted(label, flameGraph.getFileName(), recording.getFileName()));
    }
}
