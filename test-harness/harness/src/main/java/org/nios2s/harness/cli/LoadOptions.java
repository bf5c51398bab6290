// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.EphemeralPorts;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.OpenFileLimit;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options that say what is sent; what is not given comes from the command's defaults.
 * For one thread.
 */
final class LoadOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--client",
            description = "${COMPLETION-CANDIDATES}: NiFi's own client with a thread per client; the NIO client of this"
                    + " project, whose clients share a pool of connections; or the light one, whose clients keep a"
                    + " connection each; default: wire, of compare-clients nio.")
    private ClientKind client;

    @Option(names = "--clients", paramLabel = "N", description = "Logical clients, each with one connection at a time.")
    private Integer clients;

    @Option(names = "--transactions", paramLabel = "M", description = "Transactions per client.")
    private Integer transactions;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "No transaction begins later than this; alone, it replaces --transactions.")
    private Duration duration;

    @Option(
            names = "--packets",
            paramLabel = "P",
            defaultValue = "5",
            description = "Packets per transaction; default: ${DEFAULT-VALUE}.")
    private int packets;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "10",
            description = "Content of a packet; default: ${DEFAULT-VALUE}.")
    private int size;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Between the intended starts of a client's transactions; 0s is flat out.")
    private Duration interval;

    @Option(
            names = "--stagger",
            paramLabel = "TIME",
            defaultValue = "10ms",
            converter = DurationConverter.class,
            description = "Between the starts of two clients; default: ${DEFAULT-VALUE}.")
    private Duration stagger;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = DurationConverter.class,
            description = "How long a client waits for the server in any step; default: ${DEFAULT-VALUE}.")
    private Duration timeout;

    @Option(
            names = "--reconnect",
            description = "A connection per transaction, not per client: 'create' includes connecting, TLS and both"
                    + " handshakes every time. TLS may resume a session. Only with --client wire.")
    private boolean reconnect;

    /** What makes the load, the light client if none is named. */
    ClientKind client() {
        return client(ClientKind.WIRE);
    }

    /** What makes the load. */
    ClientKind client(final ClientKind usual) {
        client = client == null ? usual : client;
        return client;
    }

    /**
     * What is to be sent; from then on the options hold what is in force.
     *
     * @param usualClients      when --clients is not given
     * @param usualTransactions when neither --transactions nor --duration is given
     * @param usualInterval     when --interval is not given
     * @throws ParameterException when a number is impossible or this process may not open enough sockets
     */
    LoadSettings settings(final int usualClients, final int usualTransactions, final Duration usualInterval) {
        if (reconnect && client() != ClientKind.WIRE) {
            throw new ParameterException(
                    command.commandLine(), "--reconnect needs --client wire: the others keep their connections");
        }
        clients = clients == null ? usualClients : clients;
        interval = interval == null ? usualInterval : interval;
        if (transactions == null && duration == null) {
            transactions = usualTransactions;
        }
        try {
            final LoadSettings settings = new LoadSettings(
                    clients,
                    transactions(),
                    duration == null ? Duration.ZERO : duration,
                    packets,
                    size,
                    interval,
                    stagger,
                    timeout,
                    false,
                    reconnect);
            OpenFileLimit.check(settings.clients(), client());
            EphemeralPorts.check(settings.clients());
            return settings;
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    private int transactions() {
        if (transactions == null) {
            return LoadSettings.UNLIMITED;
        }
        if (transactions < 1) {
            throw new IllegalArgumentException("transactions must be 1 or more, not " + transactions);
        }
        return transactions;
    }
}
