// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;

/** Names of files on standard output, which may be full or closed. Stateless; any thread. */
final class PrintedNames {
    private PrintedNames() {}

    /** @throws IOException if standard output does not take them: they may be all that a program goes by */
    static void print(final List<Path> files, final CommandLine command) throws IOException {
        final PrintWriter out = command.getOut();
        files.forEach(out::println);
        // The command's writer may lie in front of the process's stream, and each keeps its own errors.
        if (out.checkError() || System.out.checkError()) {
            throw new IOException("Standard output takes no names of files");
        }
    }
}
