// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.io.IOException;
import java.nio.file.Path;
import one.convert.Arguments;
import one.convert.JfrToFlame;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.Jcmd;

/**
 * A flight recording of a NiFi, and the flame graph of where its processor time went. Runs on the scenario's thread.
 */
public final class FlightRecording {

    private static final String NAME = "s2s-harness";

    private final Jcmd jcmd;

    /** Begins to record. */
    public FlightRecording(final ProcessHandle process) {
        this.jcmd = new Jcmd(process);
        jcmd.ask("JFR.start", "name=" + NAME, "settings=profile");
    }

    /** Ends the recording and draws it. */
    public void stop(final Path recording, final Path flameGraph) {
        jcmd.ask("JFR.stop", "name=" + NAME, "filename=\"" + recording + "\"");
        try {
            final String title = flameGraph.getFileName().toString();
            JfrToFlame.convert(recording.toString(), flameGraph.toString(), new Arguments("--title", title));
        } catch (final IOException e) {
            throw new HarnessException("Cannot draw the flame graph of " + recording, e);
        }
    }
}
