// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import org.nios2s.harness.HarnessException;
import picocli.CommandLine;

/**
 * Keeps what a command had measured when something broke in mid-run. Runs on the main thread.
 */
public final class PartialResult {

    private PartialResult() {}

    /**
     * Writes the result of a command that failed, marked as partial; does nothing when there is nothing to keep.
     *
     * @param command the command
     * @param failure why it failed
     */
    public static void keep(final CommandLine command, final Exception failure) {
        command.getCommandSpec().mixins().values().stream()
                .map(mixin -> mixin.userObject())
                .filter(ResultsOption.class::isInstance)
                .map(ResultsOption.class::cast)
                .forEach(results -> keep(command, results, failure));
    }

    private static void keep(final CommandLine command, final ResultsOption results, final Exception failure) {
        try {
            results.keepBroken(failure);
            results.fail(failure.getMessage() == null ? failure.toString() : failure.getMessage());
        } catch (final HarnessException e) {
            command.getErr().println("s2s-harness: what was measured is not kept: " + e.getMessage());
        }
    }
}
