// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.scenario.LoadScenario.Measured;

/**
 * Steps of different load, each on every target in turn before the next begins, so that what else happens on the machine
 * meets all alike. Runs on the command's thread.
 */
public final class SteppedScenario {

    private final LoadScenario scenario;
    private final Interruption interruption;
    private final Observer observer;

    /**
     * A step.
     *
     * @param name what it is called, fit for the name of a file
     * @param load what it sends to a target
     */
    public record Step(String name, Function<Target, LoadSettings> load) {

        /**
         * A step that is the same for all targets.
         *
         * @param name what it is called
         * @param load what it sends
         * @return the step
         */
        public static Step of(final String name, final LoadSettings load) {
            return new Step(name, target -> load);
        }
    }

    /** Hears how the steps go, on the command's thread. */
    @FunctionalInterface
    public interface Observer {
        /**
         * A run is over.
         *
         * @param step   what was sent
         * @param target where to
         * @param run    what was measured
         */
        void onRun(Step step, Target target, Measured run);
    }

    /**
     * Steps that have not begun.
     *
     * @param scenario     runs the load
     * @param interruption ends them early
     * @param observer     hears how it goes
     */
    public SteppedScenario(final LoadScenario scenario, final Interruption interruption, final Observer observer) {
        this.scenario = scenario;
        this.interruption = interruption;
        this.observer = observer;
    }

    /**
     * Drives every target flat out, which does not count.
     *
     * @param load    what is sent
     * @param warmup  how long, zero for not at all
     * @param targets each in turn
     * @throws InterruptedException when the calling thread was interrupted
     */
    public void warmUp(final LoadSettings load, final Duration warmup, final List<Target> targets)
            throws InterruptedException {
        for (final Target target : targets) {
            if (!warmup.isZero() && !interruption.interrupted()) {
                scenario.run(load.flatOutFor(warmup), target);
            }
        }
    }

    /**
     * Goes through the steps: A B, B A, A B …
     *
     * @param steps   in their order
     * @param targets each in turn in every step
     * @throws InterruptedException when the calling thread was interrupted
     */
    public void run(final List<Step> steps, final List<Target> targets) throws InterruptedException {
        List<Target> order = targets;
        for (final Step step : steps) {
            for (final Target target : order) {
                if (interruption.interrupted()) {
                    return;
                }
                observer.onRun(step, target, scenario.run(step.load().apply(target), target));
            }
            order = order.reversed();
        }
    }
}
