// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.target;

import java.util.concurrent.TimeUnit;
import org.nios2s.harness.HarnessException;

/**
 * A process that gets no processor time until it is closed, by the signals STOP and CONT: what the JIT compiler has learned
 * survives, which a restart would lose. Used on the command's thread; the end of this JVM resumes it too.
 */
public final class SuspendedProcess implements AutoCloseable {

    private static final int SIGNAL_SECONDS = 5;

    private final ProcessHandle process;
    private final Thread hook;

    private SuspendedProcess(final ProcessHandle process) {
        this.process = process;
        this.hook = new Thread(() -> signal("CONT"), "resume-" + process.pid());
    }

    /** Pauses a process until what is returned is closed. */
    public static SuspendedProcess pause(final ProcessHandle process) {
        final SuspendedProcess paused = new SuspendedProcess(process);
        Runtime.getRuntime().addShutdownHook(paused.hook);
        paused.signal("STOP");
        return paused;
    }

    /** Lets a process go on that somebody else stopped and did not resume. */
    public static void resume(final ProcessHandle process) {
        new SuspendedProcess(process).signal("CONT");
    }

    @Override
    public void close() {
        signal("CONT");
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // This JVM is ending; resuming twice does no harm.
        }
    }

    private void signal(final String name) {
        if (!process.isAlive()) {
            return;
        }
        final Process kill = HarnessException.attempt(
                e -> "Cannot run 'kill', which pauses and resumes a NiFi: " + e,
                () -> new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start());
        kill.onExit().completeOnTimeout(kill, SIGNAL_SECONDS, TimeUnit.SECONDS).join();
        if (kill.isAlive() || kill.exitValue() != 0) {
            throw new HarnessException("Cannot send " + name + " to process " + process.pid());
        }
    }
}
