// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness;

import org.nios2s.harness.cli.BusyPortsCommand;
import org.nios2s.harness.cli.CeilingCommand;
import org.nios2s.harness.cli.CommitCostCommand;
import org.nios2s.harness.cli.CompareClientsCommand;
import org.nios2s.harness.cli.CompareCommand;
import org.nios2s.harness.cli.CompareTlsCommand;
import org.nios2s.harness.cli.ConfigFile;
import org.nios2s.harness.cli.ConnectionsCommand;
import org.nios2s.harness.cli.DemoCommand;
import org.nios2s.harness.cli.HandoffCommand;
import org.nios2s.harness.cli.LargeCommand;
import org.nios2s.harness.cli.NifiCommand;
import org.nios2s.harness.cli.PartialResult;
import org.nios2s.harness.cli.RampCommand;
import org.nios2s.harness.cli.ReactorCommand;
import org.nios2s.harness.cli.RepeatCommand;
import org.nios2s.harness.cli.ReportCommand;
import org.nios2s.harness.cli.ScaleCommand;
import org.nios2s.harness.cli.SlowPeersCommand;
import org.nios2s.harness.cli.SoakCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ParameterException;

/**
 * The root command of {@code s2s-harness}.
 * Runs on the main thread.
 */
@Command(
        name = "s2s-harness",
        description = "Runs a real NiFi with the NIO or the stock Site-to-Site listener and measures it.",
        mixinStandardHelpOptions = true,
        version = "s2s-harness 0.1.0",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            HelpCommand.class,
            DemoCommand.class,
            CompareCommand.class,
            CompareClientsCommand.class,
            CompareTlsCommand.class,
            ScaleCommand.class,
            SlowPeersCommand.class,
            BusyPortsCommand.class,
            LargeCommand.class,
            ConnectionsCommand.class,
            CeilingCommand.class,
            ReportCommand.class,
            ReactorCommand.class,
            RepeatCommand.class,
            RampCommand.class,
            HandoffCommand.class,
            SoakCommand.class,
            CommitCostCommand.class,
            NifiCommand.class
        })
public final class S2sHarness {

    /** Runs the command that the arguments name and exits: 0 done, 1 failed, 2 wrong usage. */
    public static void main(final String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    /** The command line with all its commands, as {@link #main} runs it. */
    public static CommandLine commandLine() {
        final S2sHarness root = new S2sHarness();
        final CommandLine commandLine = new CommandLine(root);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.getSubcommands().values().forEach(command -> ConfigFile.install(command.getCommandSpec()));
        commandLine.setUsageHelpAutoWidth(true);
        commandLine.setExecutionExceptionHandler(root::report);
        commandLine.setParameterExceptionHandler(root::explain);
        return commandLine;
    }

    private int report(final Exception failure, final CommandLine command, final CommandLine.ParseResult arguments)
            throws Exception {
        PartialResult.keep(command, failure);
        if (!(failure instanceof HarnessException)) {
            throw failure;
        }
        command.getErr().println("s2s-harness: " + failure.getMessage());
        command.getErr().flush();
        return CommandLine.ExitCode.SOFTWARE;
    }

    /** Says what is wrong and where the options are explained: all of the help would hide the message. */
    private int explain(final ParameterException failure, final String[] arguments) {
        final CommandLine command = failure.getCommandLine();
        command.getErr().println("s2s-harness: " + failure.getMessage());
        command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help' for what is possible.");
        command.getErr().flush();
        return CommandLine.ExitCode.USAGE;
    }
}
