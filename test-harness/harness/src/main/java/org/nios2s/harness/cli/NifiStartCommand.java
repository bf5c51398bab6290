// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.List;
import java.util.concurrent.Callable;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiCluster;
import org.nios2s.harness.nifi.NifiInstance;
import org.nios2s.harness.nifi.NifiOptions;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Starts a NiFi, waits until its flow runs, and prints one JSON line about it.
 * Runs on the main thread.
 */
@Command(
        name = "start",
        description = {
            "Starts a NiFi and waits until it takes Site-to-Site data.",
            "Prints one JSON line: pid, api, s2sHost, s2sPort, listener, version, home, logs, ledger, ports.",
            "With --secure also keyStore, trustStore, password, strangerKeyStore; with --nodes also nodes.",
            "The flow: port 'input' into a sink with a ledger; port 'loop-in' into port 'loop-out'."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class NifiStartCommand implements Callable<Integer> {

    private static final int MOST_NODES = 9;

    @Spec
    private CommandSpec spec;

    @Mixin
    private HomeOption home;

    @Mixin
    private EmbeddedOptions nifi;

    @Option(
            names = "--listener",
            defaultValue = "nio",
            description = "${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private Listener listener;

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
            names = "--fresh",
            description = "Deletes what an earlier NiFi left in the home: flow, data, ledger, certificates, logs.")
    private boolean fresh;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "1",
            description = "Nodes of a cluster, each with a home and a heap of its own; default: ${DEFAULT-VALUE}, no"
                    + " cluster.")
    private int nodes;

    @Override
    public Integer call() {
        if (nodes < 1 || nodes > MOST_NODES) {
            throw new ParameterException(
                    spec.commandLine(), "--nodes is " + nodes + " but must be from 1 to " + MOST_NODES);
        }
        final NifiOptions options = nifi.options()
                .home(home.directory())
                .listener(listener)
                .httpPort(httpPort)
                .s2sPort(s2sPort)
                .fresh(fresh)
                .build();
        final List<NifiInstance> running = nodes == 1
                ? List.of(NifiInstance.start(options))
                : NifiCluster.start(options, nodes).nodes();
        spec.commandLine().getOut().println(NifiCluster.describe(running));
        spec.commandLine().getOut().flush();
        return CommandLine.ExitCode.OK;
    }
}
