// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.nios2s.harness.cli.DemoCommand;
import org.nios2s.harness.cli.MeasureCommand;
import org.nios2s.harness.cli.NifiCommand;
import org.nios2s.harness.cli.ParameterOptions;
import org.nios2s.harness.cli.ReportCommand;
import org.nios2s.harness.cli.SearchCommand;
import org.nios2s.harness.plan.Nearest;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Parameter.Scope;
import org.nios2s.harness.result.Machine;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The root command of {@code s2s-harness}. Runs on the main thread. */
@Command(
        name = "s2s-harness",
        description = "Runs a real NiFi with the NIO or the stock Site-to-Site listener and measures it.",
        mixinStandardHelpOptions = true,
        versionProvider = S2sHarness.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            HelpCommand.class,
            DemoCommand.class,
            MeasureCommand.class,
            SearchCommand.class,
            ReportCommand.class,
            NifiCommand.class,
            AutoComplete.GenerateCompletion.class
        })
public final class S2sHarness {

    /** What makes another flow or no NiFi: a NiFi that is only started has the flow that every NiFi of the harness has. */
    private static final Set<Parameter> ONLY_MEASURED = Set.of(Parameter.SINK, Parameter.PORTS, Parameter.POOL);

    /** The version of the build. Stateless. */
    static final class Version implements IVersionProvider {

        @Override
        public String[] getVersion() {
            return new String[] {"s2s-harness " + Machine.versionsOfBuild().get("s2s-harness")};
        }
    }

    /** Runs the command that the arguments name and exits: 0 done, 1 failed, 2 wrong usage, 3 a threshold was crossed. */
    public static void main(final String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    public static CommandLine commandLine() {
        final S2sHarness root = new S2sHarness();
        final CommandLine commandLine = new CommandLine(root);
        for (final String name : List.of("measure", "search", "demo")) {
            ParameterOptions.addTo(commandLine.getSubcommands().get(name).getCommandSpec(), List.of(Scope.values()));
        }
        final CommandLine nifi = commandLine.getSubcommands().get("nifi");
        ParameterOptions.addTo(
                nifi.getSubcommands().get("start").getCommandSpec(), List.of(Scope.TARGET), ONLY_MEASURED);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUsageHelpAutoWidth(true);
        commandLine.setExecutionExceptionHandler(root::report);
        commandLine.setParameterExceptionHandler(root::explain);
        return commandLine;
    }

    private int report(final Exception failure, final CommandLine command, final CommandLine.ParseResult arguments) {
        if (failure instanceof HarnessException) {
            command.getErr().println("s2s-harness: " + failure.getMessage());
        } else {
            command.getErr()
                    .println("s2s-harness: " + failure + ". This is a mistake of the harness; where it happened: "
                            + trace(failure));
        }
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** A trace tells a developer much and a user nothing: it goes into a file. */
    private static String trace(final Exception failure) {
        final StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        try {
            return Files.writeString(Files.createTempFile("s2s-harness-", ".txt"), trace.toString())
                    .toString();
        } catch (final IOException e) {
            return trace.toString();
        }
    }

    /** What may be written behind a command: its options and its own commands. */
    private static List<String> known(final CommandLine command) {
        return Stream.concat(
                        command.getCommandSpec().optionsMap().keySet().stream(),
                        command.getSubcommands().keySet().stream())
                .toList();
    }

    /** Says what is wrong and where the options are explained: all of the help would hide the message. */
    private int explain(final ParameterException failure, final String[] arguments) {
        final CommandLine command = failure.getCommandLine();
        final String instead = failure instanceof final UnmatchedArgumentException unmatched
                ? Nearest.words(unmatched.getUnmatched().getFirst().replaceAll("=.*", ""), known(command))
                : "";
        command.getErr().println("s2s-harness: " + failure.getMessage() + instead);
        command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help' for the options.");
        return CommandLine.ExitCode.USAGE;
    }
}
