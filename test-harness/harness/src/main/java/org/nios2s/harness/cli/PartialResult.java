/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
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
