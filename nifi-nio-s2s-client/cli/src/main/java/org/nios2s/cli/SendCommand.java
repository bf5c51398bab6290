// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.nios2s.client.InputPort;
import org.nios2s.client.Packet;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code s2s send}: each file is a FlowFile. Runs on the main thread. */
@Command(
        name = "send",
        mixinStandardHelpOptions = true,
        description =
                "Sends each FILE as a FlowFile to an input port. Prints the names of files that NiFi has taken over, and ends"
                        + " at the first transaction that fails.")
final class SendCommand implements Callable<Integer> {
    private static final String FILENAME = "filename";

    @Mixin
    private NifiOptions nifi;

    @Option(
            names = {"-a", "--attribute"},
            paramLabel = "NAME=VALUE",
            description = "An attribute of every FlowFile. Without it there is filename alone.")
    private Map<String, String> attributes = Map.of();

    @Option(
            names = "--batch",
            defaultValue = "1",
            description = "Files in a transaction, of which NiFi takes over all or none. Default: ${DEFAULT-VALUE}.")
    private int batch;

    @Option(names = "--quiet", description = "No progress on standard error.")
    private boolean quiet;

    @Parameters(arity = "1..*", paramLabel = "FILE")
    private List<Path> files;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (batch < 1) {
            throw new UserMistake("--batch is " + batch + "; accepted: 1 or more");
        }
        files.forEach(SendCommand::requireReadable);
        final Progress progress = new Progress(spec.commandLine().getErr(), "sent", quiet, System::nanoTime);
        final SiteToSite.Builder builder = nifi.builder(progress);
        try (SiteToSite site = builder.build()) {
            final InputPort port = site.inputPort(nifi.portName());
            for (int first = 0; first < files.size(); first += batch) {
                send(port, files.subList(first, Math.min(files.size(), first + batch)), progress);
            }
        } finally {
            progress.end();
        }
        return Outcome.DONE.exitCode();
    }

    private static void requireReadable(final Path file) {
        if (!Files.exists(file)) {
            throw new UserMistake(file + " does not exist; nothing was sent");
        }
        if (!Files.isRegularFile(file)) {
            throw new UserMistake(file + " is no file; nothing was sent");
        }
        if (!Files.isReadable(file)) {
            throw new UserMistake(file + " may not be read by this user; nothing was sent");
        }
    }

    private void send(final InputPort port, final List<Path> together, final Progress progress) throws Exception {
        final List<Packet> packets = new ArrayList<>();
        for (final Path file : together) {
            packets.add(packet(file));
        }
        try {
            final TransactionResult result = port.send(packets).get();
            progress.transferred(result.packets(), result.bytes());
        } catch (final ExecutionException e) {
            if (e.getCause() instanceof final IOException failure) {
                throw failure;
            }
            throw e;
        }
        together.forEach(spec.commandLine().getOut()::println);
        spec.commandLine().getOut().flush();
    }

    private Packet packet(final Path file) throws IOException {
        final Map<String, String> all = new HashMap<>();
        all.put(FILENAME, file.getFileName().toString());
        all.putAll(attributes);
        return Packet.ofFile(all, file);
    }
}
