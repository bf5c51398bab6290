// SPDX-License-Identifier: Apache-2.0
package org.nios2s.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.nios2s.client.BatchingOptions;
import org.nios2s.client.InputPort;
import org.nios2s.client.Packet;
import org.nios2s.client.RecordFraming;
import org.nios2s.client.RecordSender;
import org.nios2s.client.SiteToSite;
import org.nios2s.client.TransactionException;
import org.nios2s.client.TransactionResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code s2s send}: each file is a FlowFile, or thousands of lines are one. Runs on the main thread. */
@Command(
        name = "send",
        mixinStandardHelpOptions = true,
        description =
                "Sends each FILE as a FlowFile to an input port. Prints the names of files that NiFi has accepted, and ends"
                        + " at the first transaction that fails. With --lines it sends the lines of standard input, many in a"
                        + " FlowFile.")
final class SendCommand implements Callable<Integer> {
    private static final String FILENAME = "filename";
    private static final long MAX_BATCH_BYTES = 64 << 20;
    private static final int MAX_BATCH_COUNT = 100_000_000;
    private static final Duration LINGER = Duration.ofSeconds(1);
    /** Four under way, and two that get ready. */
    private static final int BATCHES_PENDING = 6;
    /** A line in memory, and its copy in a FlowFile. */
    private static final int COPIES = 2;

    private static final long MIN_PENDING_BYTES = 32L << 20;

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
            description = "Files in a transaction, of which NiFi accepts all or none. Default: ${DEFAULT-VALUE}.")
    private int batch;

    @Option(
            names = "--lines",
            description =
                    "Sends the lines of standard input, joined to FlowFiles with the attribute record.count. A signal ends"
                            + " the reading; what was read is sent.")
    private boolean lines;

    @Option(
            names = "--batch-bytes",
            description = "With --lines: bytes in a FlowFile, at most, newlines included. Default: 1048576.")
    private Long batchBytes;

    @Option(names = "--batch-count", description = "With --lines: lines in a FlowFile, at most. Default: 10000.")
    private Integer batchCount;

    @Option(names = "--linger", description = "With --lines: the longest that a line waits for others. Default: 1s.")
    private Duration linger;

    @Option(names = "--quiet", description = "No progress on standard error.")
    private boolean quiet;

    @Parameters(arity = "0..*", paramLabel = "FILE")
    private List<Path> files = List.of();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        requireLinesOrFiles();
        return lines ? sendLines() : sendFiles();
    }

    private void requireLinesOrFiles() {
        if (!lines) {
            if (files.isEmpty()) {
                throw new ParameterException(spec.commandLine(), "Missing required parameter: 'FILE'; or give --lines");
            }
            if (batchBytes != null || batchCount != null || linger != null) {
                throw new UserMistake("--batch-bytes, --batch-count and --linger go with --lines");
            }
            return;
        }
        if (!files.isEmpty()) {
            throw new UserMistake("--lines reads standard input: give no FILE, or s2s send --lines <FILE");
        }
        if (batch != 1) {
            throw new UserMistake("--batch counts files; with --lines give --batch-count");
        }
    }

    private int sendFiles() throws Exception {
        if (batch < 1) {
            throw new UserMistake("--batch is " + batch + "; accepted: 1 or more");
        }
        files.forEach(SendCommand::requireReadable);
        final Progress progress = new Progress(spec.commandLine().getErr(), "files sent", quiet, System::nanoTime);
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

    private int sendLines() throws InterruptedException {
        final BatchingOptions options = joining();
        final PrintWriter err = spec.commandLine().getErr();
        final Progress progress = new Progress(err, "lines sent", quiet, System::nanoTime);
        final LineTally tally = new LineTally(err, progress);
        // What becomes of lines is counted before the sender is closed.
        final SiteToSite.Builder builder = nifi.builder(progress).completionExecutor(Runnable::run);
        try (SiteToSite site = builder.build();
                RecordSender sender = open(site.inputPort(nifi.portName()), options)) {
            final int maxBytes = Math.toIntExact(options.maxBytes() - 1);
            return new LineSender(System.in, sender, maxBytes, tally).run().exitCode();
        }
    }

    private RecordSender open(final InputPort port, final BatchingOptions options) {
        final Map<String, String> all = new HashMap<>();
        all.put("mime.type", RecordFraming.lines().mimeType());
        all.putAll(attributes);
        try {
            // Not as lines(): a carriage return within a line, as progress bars have it, must not end the command.
            return port.joining(RecordFraming.separatedBy(new byte[] {'\n'}), all, options);
        } catch (final IllegalArgumentException e) {
            throw new UserMistake(e.getMessage(), e);
        }
    }

    /** More than the transactions under way need would only wait in memory, and be lost if the process is killed. */
    private BatchingOptions joining() {
        final long bytes = batchBytes == null ? BatchingOptions.ofRecords().maxBytes() : batchBytes;
        final int count = batchCount == null ? BatchingOptions.ofRecords().maxPackets() : batchCount;
        requireBetween("--batch-bytes", bytes, 2, MAX_BATCH_BYTES);
        requireBetween("--batch-count", count, 1, MAX_BATCH_COUNT);
        if (linger != null && linger.isNegative()) {
            throw new UserMistake("--linger is " + linger + "; accepted: 0s or more");
        }
        return BatchingOptions.ofRecords()
                .withMaxBytes(bytes)
                .withMaxPackets(count)
                .withLinger(linger == null ? LINGER : linger)
                .withMaxPending(BATCHES_PENDING * count, Math.max(MIN_PENDING_BYTES, COPIES * BATCHES_PENDING * bytes));
    }

    private static void requireBetween(final String option, final long value, final long min, final long max) {
        if (value < min || value > max) {
            throw new UserMistake(option + " is " + value + "; accepted: " + min + " to " + max);
        }
    }

    private static void requireReadable(final Path file) {
        if (!Files.exists(file)) {
            throw new UserMistake(file + " does not exist; nothing was sent");
        }
        if (!Files.isRegularFile(file)) {
            throw new UserMistake(file + " is not a file; nothing was sent");
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
            if (e.getCause() instanceof final TransactionException failure) {
                throw named(failure, together);
            }
            throw e;
        }
        tell(together);
    }

    /** The client counts packets. */
    private static IOException named(final TransactionException failure, final List<Path> together) {
        return failure.failedPacket() == TransactionException.NO_PACKET || failure.isOutcomeUnknown()
                ? failure
                : new IOException(together.get(failure.failedPacket()) + ": " + failure.getMessage(), failure);
    }

    private void tell(final List<Path> sent) throws IOException {
        try {
            PrintedNames.print(sent, spec.commandLine());
        } catch (final IOException e) {
            final String last = String.valueOf(sent.get(sent.size() - 1));
            throw new IOException(e.getMessage() + ": " + last + " is the last file that NiFi has", e);
        }
    }

    private Packet packet(final Path file) throws IOException {
        final Map<String, String> all = new HashMap<>();
        all.put(FILENAME, file.getFileName().toString());
        all.putAll(attributes);
        return Packet.ofFile(all, file);
    }
}
