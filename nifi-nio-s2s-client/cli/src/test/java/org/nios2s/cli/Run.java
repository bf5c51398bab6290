// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * What the command answered.
 *
 * @param exitCode its own
 * @param out lines on standard output
 * @param err all of standard error
 */
record Run(int exitCode, List<String> out, String err) {
    static Run of(final String[] address, final String... arguments) {
        return of(Stream.concat(Stream.of(arguments), Stream.of(address)).toArray(String[]::new));
    }

    /** @return the command as a process of its own, to be started */
    static ProcessBuilder process(final String[] address, final String... arguments) {
        final List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                S2s.class.getName()));
        line.addAll(List.of(arguments));
        line.addAll(List.of(address));
        return new ProcessBuilder(line);
    }

    static Run of(final String... arguments) {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final CommandLine command = S2s.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        final int exitCode = command.execute(arguments);
        return new Run(exitCode, out.toString().lines().toList(), err.toString());
    }
}
