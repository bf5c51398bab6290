// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import java.util.List;
import org.nios2s.harness.result.RunResult;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options of a command that measures two things in turn, and what such commands say alike.
 * For one thread.
 */
final class PairOptions {

    /** Clients when the command line names no number. */
    static final int CLIENTS = 100;

    /** Transactions of each client when the command line says neither how many nor how long. */
    static final int TRANSACTIONS = 200;

    private static final int MAX_PAIRS = 100;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--pairs",
            paramLabel = "N",
            defaultValue = "3",
            description = "How often each of the two is measured; default: ${DEFAULT-VALUE}.")
    private int pairs;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "15s",
            converter = DurationConverter.class,
            description = "How long each of the two runs flat out before it counts; default: ${DEFAULT-VALUE}.")
    private Duration warmup;

    /**
     * How often each is measured.
     *
     * @throws ParameterException when the number is impossible
     */
    int pairs() {
        if (pairs < 1 || pairs > MAX_PAIRS) {
            throw new ParameterException(
                    command.commandLine(), "--pairs must be between 1 and %d, not %d".formatted(MAX_PAIRS, pairs));
        }
        return pairs;
    }

    Duration warmup() {
        return warmup;
    }

    /** Prints why transactions failed. */
    void printCauses(final List<RunResult> runs) {
        for (final RunResult run : runs) {
            run.failuresByCause().forEach((cause, count) -> command.commandLine()
                    .getOut()
                    .println(Words.of("%s failed: %,d × %s", run.label(), count, cause)));
        }
    }
}
