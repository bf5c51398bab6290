// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.nios2s.harness.load.LoadRecorder;
import org.nios2s.harness.load.LoadSettings;

/**
 * Shows how far a run has come, its rate, its failures and the time left, when standard error is a terminal. Draws on a
 * thread of its own; opened and closed by the experiment.
 */
final class ProgressDisplay implements AutoCloseable {

    private static final int PERIOD_MILLIS = 500;
    private static final int COLUMNS = 79;
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

    private final LoadRecorder recorder;
    private final boolean byTime;
    private final ProgressBar bar;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("progress").daemon().factory());
    private final long startNanos = System.nanoTime();
    private long lastNanos = startNanos;
    private long lastDone;

    private ProgressDisplay(final String title, final LoadSettings settings, final LoadRecorder recorder) {
        this.recorder = recorder;
        this.byTime = settings.totalTransactions() == LoadSettings.UNLIMITED;
        this.bar = new ProgressBarBuilder()
                .setTaskName(title)
                .setInitialMax(byTime ? settings.duration().toSeconds() : settings.totalTransactions())
                .setUnit(byTime ? " s" : " tx", 1)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(PERIOD_MILLIS)
                // Not the usual one: it asks a library for the terminal's width, which takes Ctrl-C away from this JVM.
                .setConsumer(new ConsoleProgressBarConsumer(System.err, COLUMNS))
                .build();
        clock.scheduleWithFixedDelay(this::step, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Shows a run until it is closed; null where there is no terminal. */
    static ProgressDisplay open(final String title, final LoadSettings settings, final LoadRecorder recorder) {
        return standardErrorIsTerminal() ? new ProgressDisplay(title, settings, recorder) : null;
    }

    private void step() {
        final long done = recorder.successes() + recorder.failures();
        final long now = System.nanoTime();
        bar.stepTo(byTime ? TimeUnit.NANOSECONDS.toSeconds(now - startNanos) : done);
        bar.setExtraMessage(" %,.0f tx/s, %,d failed"
                .formatted((done - lastDone) * NANOS_PER_SECOND / (now - lastNanos), recorder.failures()));
        lastNanos = now;
        lastDone = done;
    }

    /** Shows the end of the run, too. */
    @Override
    public void close() {
        clock.execute(this::step);
        clock.close();
        bar.close();
    }

    private static boolean standardErrorIsTerminal() {
        try {
            final String device = Files.readSymbolicLink(STANDARD_ERROR).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty");
        } catch (final IOException | UnsupportedOperationException e) {
            // No /proc here: then both standard streams have to be a terminal.
            return System.console() != null;
        }
    }
}
