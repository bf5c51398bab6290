// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.nios2s.client.BatchLimits;
import org.nios2s.client.OutputPort;
import org.nios2s.client.ReceivedBatch;
import org.nios2s.client.ReceivedPacket;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code s2s receive}: each FlowFile becomes a file. Runs on the main thread. */
@Command(
        name = "receive",
        mixinStandardHelpOptions = true,
        description =
                "Receives FlowFiles from an output port into files in DIR, until NiFi has none left. NiFi forgets a FlowFile"
                        + " when its file is on the disk. Prints the files' names. Ends with exit code 1 if a node of a cluster"
                        + " failed, for it may have more FlowFiles.")
final class ReceiveCommand implements Callable<Integer> {
    @Mixin
    private NifiOptions nifi;

    @Option(
            names = "--batch",
            defaultValue = "100",
            description = "FlowFiles in a transaction, at most. Default: ${DEFAULT-VALUE}.")
    private int batch;

    @Option(
            names = "--wait",
            defaultValue = "0s",
            description = "How long to wait for FlowFiles when NiFi has none. Default: ${DEFAULT-VALUE}.")
    private Duration wait;

    @Option(
            names = "--attributes",
            description = "Writes the attributes of FILE into FILE.attributes, as Java properties.")
    private boolean withAttributes;

    @Option(names = "--quiet", description = "No progress on standard error.")
    private boolean quiet;

    @Parameters(arity = "1", paramLabel = "DIR")
    private Path directory;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (batch < 1) {
            throw new UserMistake("--batch is " + batch + "; accepted: 1 or more");
        }
        if (!Files.isDirectory(directory)) {
            throw new UserMistake(directory + " is not a directory");
        }
        if (!Files.isWritable(directory)) {
            throw new UserMistake(directory + " may not be written by this user");
        }
        final Progress progress = new Progress(spec.commandLine().getErr(), "files received", quiet, System::nanoTime);
        final NodesNotServing notServing = new NodesNotServing();
        final SiteToSite.Builder builder =
                nifi.builder(notServing).batchLimits(BatchLimits.standard().withMaxPackets(batch));
        try (PartFiles parts = PartFiles.in(directory);
                SiteToSite site = builder.build()) {
            receiveAll(site.outputPort(nifi.portName()), parts, progress);
        } finally {
            progress.end();
        }
        // Only now, when the client is closed, all failures have been heard.
        notServing.requireNone();
        return Outcome.DONE.exitCode();
    }

    private void receiveAll(final OutputPort port, final PartFiles parts, final Progress progress) throws IOException {
        for (Optional<ReceivedBatch> next = port.poll(wait); next.isPresent(); next = port.poll(wait)) {
            try (ReceivedBatch received = next.get()) {
                final TransactionResult result = receive(received, parts);
                progress.transferred(result.packets(), result.bytes());
            } catch (final UncheckedIOException e) {
                throw e.getCause();
            }
        }
    }

    /** The files have their names after both ends have compared what was sent, and before NiFi forgets it. */
    TransactionResult receive(final ReceivedBatch received, final PartFiles parts) throws IOException {
        final ReceivedFiles files = new ReceivedFiles(directory, parts, withAttributes);
        try {
            for (final ReceivedPacket packet : received) {
                files.stage(packet);
            }
            received.confirm();
            files.publish();
            tell(files);
        } finally {
            files.discardParts();
        }
        try {
            return received.complete();
        } catch (final IOException | RuntimeException | Error e) {
            spec.commandLine()
                    .getErr()
                    .println("s2s: NiFi may deliver the last " + flowFiles(files.flowFiles())
                            + " again: the transaction failed after the files were written");
            throw e;
        }
    }

    /** Before NiFi forgets: names that nobody learns are files that nobody looks for. */
    private void tell(final ReceivedFiles files) throws IOException {
        try {
            PrintedNames.print(files.published(), spec.commandLine());
        } catch (final IOException e) {
            final IOException untold = new IOException(
                    e.getMessage() + ": NiFi keeps the last " + flowFiles(files.flowFiles()) + ", and no file of "
                            + "theirs is left here. Run the command again to receive them",
                    e);
            files.withdraw(untold);
            throw untold;
        }
    }

    private static String flowFiles(final int number) {
        if (number == 1) {
            return "FlowFile";
        }
        return number + " FlowFiles";
    }
}
