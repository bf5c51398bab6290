// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiHome;
import org.nios2s.harness.nifi.NifiNode;
import org.nios2s.harness.nifi.NifiOptions;
import org.nios2s.harness.nifi.Processors;
import org.nios2s.harness.plan.Experiment;
import org.nios2s.harness.plan.Parameter;
import org.nios2s.harness.plan.Settings;
import org.nios2s.harness.target.SuspendedProcess;
import org.nios2s.harness.target.Targets;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
        name = "nifi",
        description = "Starts, stops and lists NiFis on loopback, and deletes their data.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            HelpCommand.class,
            NifiCommand.Start.class,
            NifiCommand.Stop.class,
            NifiCommand.Status.class,
            NifiCommand.Clean.class
        })
public final class NifiCommand {

    /** A command about the NiFi of a home. Runs on the main thread. */
    private abstract static class OfHome {

        @Spec
        CommandSpec spec;

        @Option(
                names = "--home",
                paramLabel = "DIR",
                description = "Directory of this NiFi; default: " + NifiOptions.DEFAULT_HOME + " in the project.")
        private Path home;

        Path directory() {
            return home == null ? HarnessDirectory.resolve(NifiOptions.DEFAULT_HOME) : home;
        }

        /** Prints the NiFis that run there, or in every home of the project, or that none does. */
        List<NifiNode> running(final boolean all) {
            final List<NifiNode> running = all ? HarnessDirectory.running() : NifiCluster.attach(directory());
            if (running.isEmpty()) {
                spec.commandLine().getErr().println("No NiFi runs " + (all ? "here" : "in " + directory()));
            }
            return running;
        }
    }

    @Command(
            name = "start",
            description = {
                "Starts a NiFi and waits until it takes Site-to-Site data.",
                "Prints one JSON line: pid, api, s2sHost, s2sPort, listener, version, files (home, logs, ledger), ports.",
                "With --secure also security (keyStore, trustStore, password, strangerKeyStore); with --nodes also nodes.",
                "The flow: port 'input' into a sink with a ledger; port 'loop-in' into port 'loop-out'."
            },
            mixinStandardHelpOptions = true,
            sortOptions = false)
    static final class Start extends OfHome implements Runnable {

        @Option(
                names = "--http-port",
                paramLabel = "N",
                defaultValue = "" + NifiOptions.ANY_PORT,
                description = "Port of the REST API; default: ${DEFAULT-VALUE}, any free port.")
        private int httpPort;

        @Option(
                names = "--s2s-port",
                paramLabel = "N",
                defaultValue = "" + NifiOptions.ANY_PORT,
                description = "Port of RAW Site-to-Site; default: ${DEFAULT-VALUE}, any free port.")
        private int s2sPort;

        @Option(
                names = "--nodes",
                paramLabel = "N",
                defaultValue = "1",
                description = "Nodes, 2 or more for a cluster; default: ${DEFAULT-VALUE}.")
        private int nodes;

        @Option(
                names = "--fresh",
                description =
                        "Deletes the data of an earlier NiFi in the home: flow, data, ledger, certificates, logs.")
        private boolean fresh;

        @Override
        public void run() {
            final Settings settings = ParameterOptions.apply(
                            spec, new Experiment("nifi", "", Settings.DEFAULTS, List.of(), List.of(), List.of()))
                    .base();
            final NifiOptions options = ParameterOptions.checked(spec, () -> {
                        Processors.ofThisMachine().check(settings.number(Parameter.PROCESSORS));
                        return Targets.options(settings);
                    })
                    .home(directory())
                    .listener(settings.word(Parameter.LISTENER, Listener.class))
                    .httpPort(httpPort)
                    .s2sPort(s2sPort)
                    .fresh(fresh);
            final NifiCluster started = NifiCluster.start(options, Math.max(1, nodes));
            try {
                started.nodes().forEach(NifiNode::requireListener);
            } catch (final RuntimeException e) {
                started.close();
                throw e;
            }
            spec.commandLine().getOut().println(NifiCluster.describe(started.nodes()));
        }
    }

    @Command(name = "stop", description = "Stops the NiFi of a home, or all.", mixinStandardHelpOptions = true)
    static final class Stop extends OfHome implements Runnable {

        @Option(
                names = "--all",
                description =
                        "Every NiFi that was started from this project, those that a killed measurement left behind, too.")
        private boolean all;

        @Override
        public void run() {
            final List<NifiNode> running = running(all);
            // One that a measurement had paused hears no other signal.
            running.forEach(nifi -> ProcessHandle.of(nifi.info().pid()).ifPresent(SuspendedProcess::resume));
            NifiCluster.stop(running);
            final PrintWriter err = spec.commandLine().getErr();
            running.forEach(nifi ->
                    err.println("Stopped the NiFi in " + nifi.info().files().home()));
        }
    }

    @Command(
            name = "status",
            description = "Prints the JSON line of the NiFi of a home, or of all; exit code 1 when none runs.",
            mixinStandardHelpOptions = true)
    static final class Status extends OfHome implements Callable<Integer> {

        @Option(names = "--all", description = "Every NiFi that was started from this project, one per line.")
        private boolean all;

        @Override
        public Integer call() {
            final List<NifiNode> running = running(all);
            if (running.isEmpty()) {
                return ExitCode.SOFTWARE;
            }
            final PrintWriter out = spec.commandLine().getOut();
            if (all) {
                running.forEach(nifi -> out.println(NifiCluster.describe(List.of(nifi))));
            } else {
                out.println(NifiCluster.describe(running));
            }
            return ExitCode.OK;
        }
    }

    @Command(
            name = "clean",
            description = "Deletes the homes of NiFis that do not run: flow, data, logs. Results stay.",
            mixinStandardHelpOptions = true)
    static final class Clean implements Runnable {

        @Spec
        private CommandSpec spec;

        @Override
        public void run() {
            for (final Path home : HarnessDirectory.homes()) {
                if (Files.exists(home) && HarnessDirectory.running(home).isEmpty()) {
                    NifiHome.delete(home);
                    spec.commandLine().getErr().println("Deleted " + home);
                }
            }
        }
    }
}
