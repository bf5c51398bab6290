// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.Locale;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.EphemeralPorts;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.OpenFileLimit;
import org.nios2s.harness.scenario.UntilFailureScenario.Counts;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options that say how the largest count of clients without a failure is looked for.
 * For one thread.
 */
final class UntilFailureOptions {

    private static final double QUICK_GROWTH = 2;
    private static final double QUICK_RESOLUTION = 1;
    private static final int QUICK_MOST = 4_000;
    private static final int QUICK_TRANSACTIONS = 10;
    private static final int MOST = 10_000;
    private static final double PERCENT = 100;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--until-failure",
            description = "Grows the number of clients, from --clients on, until transactions fail, and then closes in"
                    + " on the largest count without a failure.")
    private boolean untilFailure;

    @Option(
            names = "--max-clients",
            paramLabel = "N",
            description = "With --until-failure: the largest count that is tried; default: " + MOST + ", --quick "
                    + QUICK_MOST + ".")
    private Integer most;

    @Option(
            names = "--growth",
            paramLabel = "FACTOR",
            defaultValue = "1.5",
            description = "With --until-failure: from one count to the next while there is no failure; default:"
                    + " ${DEFAULT-VALUE}.")
    private double growth;

    @Option(
            names = "--resolution",
            paramLabel = "PERCENT",
            defaultValue = "10",
            description = "With --until-failure: how near the answer has to be; default: ${DEFAULT-VALUE}.")
    private double resolution;

    @Option(
            names = "--quick",
            description = "With --until-failure: " + QUICK_TRANSACTIONS
                    + " transactions per client, counts that double," + " no closing in; done in about five minutes.")
    private boolean quick;

    /** Whether the count is looked for. */
    boolean wanted() {
        if (quick && !untilFailure) {
            throw usage("--quick goes with --until-failure");
        }
        return untilFailure;
    }

    /** What each client sends when nothing is said about it. */
    int transactions(final int usual) {
        return quick ? QUICK_TRANSACTIONS : usual;
    }

    /**
     * Which counts to try.
     *
     * @throws ParameterException when a number is impossible or this process may not open enough sockets
     */
    Counts counts(final LoadSettings settings, final ClientKind client) {
        final int largest = most != null ? most : Math.max(settings.clients(), quick ? QUICK_MOST : MOST);
        if (largest < settings.clients()) {
            throw usage("--max-clients is %d, less than the %d --clients to begin with"
                    .formatted(largest, settings.clients()));
        }
        if (growth <= 1 || resolution <= 0) {
            throw usage(String.format(
                    Locale.ROOT,
                    "--growth must be more than 1 and --resolution more than 0, not %s and %s",
                    growth,
                    resolution));
        }
        try {
            OpenFileLimit.check(
                    settings.withClients(largest, settings.stagger()).clients(), client);
            EphemeralPorts.check(largest);
        } catch (final IllegalArgumentException e) {
            throw usage("--max-clients: " + e.getMessage());
        }
        return quick
                ? new Counts(largest, QUICK_GROWTH, QUICK_RESOLUTION)
                : new Counts(largest, growth, resolution / PERCENT);
    }

    private ParameterException usage(final String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
