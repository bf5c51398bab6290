// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.scenario.Interruption;
import picocli.CommandLine.ExitCode;

/**
 * The frame of a command that measures: Ctrl-C ends it in order, and what was measured before something broke is kept and
 * marked as a part.
 * Runs on the main thread.
 */
final class Measuring {

    private Measuring() {}

    /** What a command measures. */
    @FunctionalInterface
    interface Body {
        /**
         * Measures and keeps the runs.
         *
         * @param interruption tells when to end early
         */
        void measure(Interruption interruption) throws InterruptedException;
    }

    /**
     * Measures.
     *
     * @param results where runs are kept
     * @param body    measures
     * @param verdict adds tables and charts of the runs that were kept, and says what came out
     * @param good    whether the runs that were kept are as they should be
     * @return the command's exit code
     */
    static int run(
            final ResultsOption results, final Body body, final Supplier<String> verdict, final BooleanSupplier good)
            throws InterruptedException {
        results.prepare();
        try (Interruption interruption = Interruption.install()) {
            try {
                body.measure(interruption);
            } catch (final HarnessException e) {
                results.keepBroken(e);
                if (!results.runs().isEmpty()) {
                    results.finish(verdict.get(), Completion.failed(e.getMessage()));
                }
                throw e;
            }
            results.finish(verdict.get(), Completion.of(interruption.interrupted()));
            return good.getAsBoolean() && !interruption.interrupted() ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }
}
