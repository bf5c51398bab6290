// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * The group of commands that start, stop and look at a NiFi.
 * Runs on the main thread.
 */
@Command(
        name = "nifi",
        description = "Starts, stops and looks at a standalone NiFi on loopback.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {HelpCommand.class, NifiStartCommand.class, NifiStopCommand.class, NifiStatusCommand.class})
public final class NifiCommand {}
