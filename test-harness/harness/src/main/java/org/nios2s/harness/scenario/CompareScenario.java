// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.nifi.ProcessUsage;
import org.nios2s.harness.scenario.LoadScenario.Measured;

/**
 * The same load on two NiFis in turn, A B A B …, so that what else happens on the machine meets both alike. Runs on the
 * command's thread.
 */
public final class CompareScenario {

    private static final double PERCENT = 100;

    private final LoadScenario scenario;
    private final Interruption interruption;
    private final boolean pauseIdle;
    private final Observer observer;

    /** Hears how the comparison goes, on the command's thread. */
    public interface Observer {
        /**
         * A run that counts is over.
         *
         * @param pair        number of its pair, from 1
         * @param measured    the run
         * @param idlePercent processor time that the other NiFi took meanwhile, in percent of one processor
         */
        void onRun(int pair, Measured measured, double idlePercent);
    }

    /**
     * A comparison.
     *
     * @param scenario     runs the load
     * @param interruption ends the comparison early
     * @param pauseIdle    whether the NiFi that is not measured gets no processor time
     * @param observer     hears how it goes
     */
    public CompareScenario(
            final LoadScenario scenario,
            final Interruption interruption,
            final boolean pauseIdle,
            final Observer observer) {
        this.scenario = scenario;
        this.interruption = interruption;
        this.pauseIdle = pauseIdle;
        this.observer = observer;
    }

    /**
     * Warms both up, then compares.
     *
     * @param settings what to send
     * @param warmup   how long each is warmed up, zero for not at all
     * @param pairs    how often each is measured
     * @param first    a NiFi
     * @param second   another
     * @throws InterruptedException when the calling thread was interrupted
     */
    public void run(
            final LoadSettings settings,
            final Duration warmup,
            final int pairs,
            final Target first,
            final Target second)
            throws InterruptedException {
        if (!warmup.isZero()) {
            turn(settings.flatOutFor(warmup), first, second);
            turn(settings.flatOutFor(warmup), second, first);
        }
        for (int pair = 1; pair <= pairs; pair++) {
            for (final List<Target> order : List.of(List.of(first, second), List.of(second, first))) {
                final Turn turn = turn(settings, order.getFirst(), order.getLast());
                if (turn != null) {
                    observer.onRun(pair, turn.measured(), turn.idlePercent());
                }
            }
        }
    }

    /** One run, and what the other NiFi took meanwhile. */
    private record Turn(Measured measured, double idlePercent) {}

    private Turn turn(final LoadSettings settings, final Target measured, final Target idle)
            throws InterruptedException {
        if (interruption.interrupted()) {
            return null;
        }
        final List<PausedProcess> paused = new ArrayList<>();
        try {
            if (pauseIdle) {
                paused.add(PausedProcess.pause(idle.process()));
            }
            final long startNanos = System.nanoTime();
            final Duration before = ProcessUsage.of(idle.process()).cpu();
            final Measured run = scenario.run(settings, measured);
            if (interruption.interrupted()) {
                return new Turn(run, 0);
            }
            final Duration idleCpu = ProcessUsage.of(idle.process()).cpu().minus(before);
            return new Turn(run, PERCENT * idleCpu.toNanos() / (System.nanoTime() - startNanos));
        } finally {
            paused.forEach(PausedProcess::close);
        }
    }
}
