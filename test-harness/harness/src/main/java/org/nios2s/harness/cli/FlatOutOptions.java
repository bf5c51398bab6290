// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.time.Duration;
import org.nios2s.harness.load.ClientKind;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.OpenFileLimit;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The options of a load that is sent as fast as it goes for some time: the yardstick beside which something else is put.
 * For one thread.
 */
final class FlatOutOptions {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "100",
            description = "Clients that push flat out; default: ${DEFAULT-VALUE}.")
    private int clients;

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
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "Of each run; default: ${DEFAULT-VALUE}.")
    private Duration duration;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "How long a client waits for the server in any step; default: ${DEFAULT-VALUE}.")
    private Duration timeout;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = DurationConverter.class,
            description = "How long each NiFi is driven flat out before it counts; default: ${DEFAULT-VALUE}.")
    private Duration warmup;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "How often everything is measured, in turn; default: ${DEFAULT-VALUE}.")
    private int rounds;

    /**
     * What is to be sent.
     *
     * @param others connections beside those of the clients
     * @throws ParameterException when a number is impossible or this process may not open enough sockets
     */
    LoadSettings settings(final int others) {
        if (rounds < 1) {
            throw new ParameterException(command.commandLine(), "--rounds must be 1 or more, not " + rounds);
        }
        try {
            final LoadSettings settings = new LoadSettings(
                    clients, LoadSettings.UNLIMITED, duration, packets, size, Duration.ZERO, Duration.ZERO, timeout);
            OpenFileLimit.check(settings.clients() + others, ClientKind.WIRE);
            return settings;
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    int clients() {
        return clients;
    }

    Duration duration() {
        return duration;
    }

    Duration warmup() {
        return warmup;
    }

    int rounds() {
        return rounds;
    }
}
