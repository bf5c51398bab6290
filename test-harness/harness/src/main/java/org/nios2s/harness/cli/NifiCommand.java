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
