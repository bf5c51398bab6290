// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.IOException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import org.nios2s.client.TransactionException;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The root command. Runs on the main thread. */
@Command(
        name = "s2s",
        description = "Sends files to Apache NiFi and receives files from it over RAW Site-to-Site.",
        mixinStandardHelpOptions = true,
        versionProvider = S2s.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {HelpCommand.class, SendCommand.class, ReceiveCommand.class, AutoComplete.GenerateCompletion.class
        },
        footer = {
            "",
            "Exit codes: 0 done; 1 a transaction failed, and NiFi is as it was before, or a node failed that may have more"
                    + " FlowFiles; 2 wrong usage; 3 the connection was"
                    + " lost before it was known whether NiFi had completed the transaction."
        })
public final class S2s {
    private S2s() {}

    /** The version of the build. Stateless. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            final String version = S2s.class.getPackage().getImplementationVersion();
            return new String[] {"s2s " + (version == null ? "(from classes)" : version)};
        }
    }

    /** Runs the command that the arguments name, and exits with an {@link Outcome}. */
    public static void main(final String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new S2s())
                .registerConverter(Duration.class, S2s::duration)
                .setUsageHelpAutoWidth(true)
                .setExecutionExceptionHandler((failure, command, arguments) -> report(failure, command))
                .setParameterExceptionHandler((mistake, arguments) -> explain(mistake))
                .setExitCodeExceptionMapper(failure -> Outcome.FAILED.exitCode());
    }

    /** @param text such as {@code 500ms}, {@code 30s}, {@code 2m} or {@code 1h30m} */
    private static Duration duration(final String text) {
        final String lower = text.toLowerCase(Locale.ROOT);
        try {
            return lower.endsWith("ms")
                    ? Duration.ofMillis(Long.parseLong(lower.substring(0, lower.length() - 2)))
                    : Duration.parse("PT" + lower);
        } catch (final NumberFormatException | DateTimeParseException e) {
            throw new TypeConversionException("'" + text + "' is not a duration; write 500ms, 30s, 2m or 1h");
        }
    }

    private static int report(final Exception failure, final CommandLine command) {
        final Outcome outcome = outcome(failure);
        command.getErr().println("s2s: " + message(failure));
        return outcome.exitCode();
    }

    private static Outcome outcome(final Exception failure) {
        if (failure instanceof UserMistake) {
            return Outcome.MISTAKE;
        }
        return failure instanceof final TransactionException transaction && transaction.isOutcomeUnknown()
                ? Outcome.UNKNOWN
                : Outcome.FAILED;
    }

    private static String message(final Exception failure) {
        final boolean speaks = failure instanceof UserMistake
                || failure instanceof TransactionException && failure.getMessage() != null;
        if (speaks) {
            return failure.getMessage();
        }
        // Of files: the message of theirs is often the path alone.
        return failure instanceof IOException ? FileMessages.of((IOException) failure) : failure.toString();
    }

    /** Says what is wrong and where the options are explained: all of the help would hide the message. */
    private static int explain(final ParameterException mistake) {
        final CommandLine command = mistake.getCommandLine();
        command.getErr().println("s2s: " + mistake.getMessage());
        command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help' for the options.");
        return Outcome.MISTAKE.exitCode();
    }
}
