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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.result.ResultDirectory;
import org.nios2s.harness.scenario.LoadScenario.Measured;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The option that says where results go, and the directory that comes of it.
 * For one thread.
 */
final class ResultsOption {

    private static final String DEFAULT = "results";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--results",
            paramLabel = "DIR",
            description = "Where the result's directory goes; default: " + DEFAULT + " in the project.")
    private Path parent;

    private ResultDirectory directory;

    /** Makes sure that results can be kept, before a measurement that would be lost. */
    void prepare() {
        final Path where = where();
        try {
            Files.createDirectories(where);
        } catch (final IOException e) {
            throw new HarnessException("Cannot make the directory " + where + " for results: " + e, e);
        }
        if (!Files.isWritable(where)) {
            throw new HarnessException("Cannot write results into " + where + ": choose another with --results");
        }
    }

    /** Keeps the CSV of a run, in a part of the directory. */
    void add(final String part, final Measured measured) {
        try {
            directory().addRun(part, measured.result().settings(), measured.outcome());
        } catch (final IOException e) {
            throw new HarnessException("Cannot write the CSV of a run into " + where() + ": " + e, e);
        }
    }

    /** Keeps all figures as JSON and says where. */
    void finish(final Object report) {
        try {
            directory().writeReport(report);
        } catch (final IOException e) {
            throw new HarnessException("Cannot write the result into " + where() + ": " + e, e);
        }
        command.commandLine().getOut().println("results: " + directory.path());
        command.commandLine().getOut().flush();
    }

    private ResultDirectory directory() throws IOException {
        if (directory == null) {
            directory = ResultDirectory.create(where(), command.name());
        }
        return directory;
    }

    private Path where() {
        return parent == null ? ProjectDirectory.resolve(DEFAULT) : parent.toAbsolutePath();
    }
}
