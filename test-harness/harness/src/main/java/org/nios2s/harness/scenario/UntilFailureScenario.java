// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.scenario;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.scenario.LoadScenario.Measured;

/**
 * The same load from more and more clients, until some of their transactions fail. Runs on the command's thread.
 */
public final class UntilFailureScenario {

    /** The part of a run in which not all clients may have begun. */
    private static final int STARTING_PART = 3;

    private final LoadScenario scenario;
    private final Interruption interruption;
    private final Consumer<Measured> observer;

    /**
     * A search for any number of targets.
     *
     * @param scenario     runs the load
     * @param interruption ends a search early
     * @param observer     hears of every run, on the command's thread
     */
    public UntilFailureScenario(
            final LoadScenario scenario, final Interruption interruption, final Consumer<Measured> observer) {
        this.scenario = scenario;
        this.interruption = interruption;
        this.observer = observer;
    }

    /**
     * How the counts are chosen.
     *
     * @param most       the largest that is tried
     * @param growth     by what a count is multiplied as long as there is no failure, more than 1
     * @param resolution the gap that may be left, as a part of the largest count without a failure
     */
    public record Counts(int most, double growth, double resolution) {}

    /**
     * What a search found.
     *
     * @param largestWithoutFailure the answer, 0 when every count had failures
     * @param smallestWithFailure   what bounds it from above, 0 when no count had failures
     * @param complete              whether the search came to its end
     */
    public record Found(int largestWithoutFailure, int smallestWithFailure, boolean complete) {}

    /**
     * Searches.
     *
     * @param settings what to send; its number of clients is the first that is tried
     * @param counts   which counts to try
     * @param target   where to
     * @return what was found
     * @throws InterruptedException when the calling thread was interrupted
     */
    public Found run(final LoadSettings settings, final Counts counts, final Target target)
            throws InterruptedException {
        final CountSearch search =
                new CountSearch(settings.clients(), counts.most(), counts.growth(), counts.resolution());
        OptionalInt next = search.next();
        while (next.isPresent() && !interruption.interrupted()) {
            final Measured run;
            try {
                run = scenario.run(withClients(settings, next.getAsInt()), target);
            } catch (final BrokenRunException e) {
                // What ends a NiFi is a failure, too, and there is nobody left to try with fewer.
                observer.accept(e.measured());
                search.tried(false);
                break;
            }
            observer.accept(run);
            if (interruption.interrupted()) {
                break;
            }
            search.tried(run.result().flawless());
            next = search.next();
        }
        return new Found(search.largestWithoutFailure(), search.smallestWithFailure(), next.isEmpty());
    }

    /**
     * The load of so many clients, which are all there together for two thirds of the run at least: if need be they start
     * in quicker succession than was asked for.
     */
    static LoadSettings withClients(final LoadSettings settings, final int clients) {
        final Duration run = settings.transactions() == LoadSettings.UNLIMITED
                ? settings.duration()
                : settings.interval().multipliedBy(settings.transactions());
        final Duration longest = run.dividedBy((long) STARTING_PART * clients);
        final Duration stagger =
                settings.paced() && settings.stagger().compareTo(longest) > 0 ? longest : settings.stagger();
        return settings.withClients(clients, stagger);
    }
}
