// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.result.Chart;
import org.nios2s.harness.result.Completion;
import org.nios2s.harness.result.DataTable;
import org.nios2s.harness.result.DataTable.Column;
import org.nios2s.harness.result.Medians;
import org.nios2s.harness.scenario.BufferSummary;
import org.nios2s.harness.scenario.EmbeddedNifi;
import org.nios2s.harness.scenario.Interruption;
import org.nios2s.harness.scenario.LargeScenario;
import org.nios2s.harness.scenario.LargeScenario.Transfer;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * FlowFiles that do not fit into memory, on both listeners.
 * Runs on the main thread.
 */
@Command(
        name = "large",
        description = {
            "Pushes one large FlowFile, then many smaller ones at once, into each listener, and compares the SHA-256 of"
                    + " what arrived with that of what was sent.",
            "Both NiFis have a heap of 1 GiB unless --heap says otherwise, and do not archive content."
        },
        footer = "Exit code: 0 everything arrived as it was sent on the NIO listener, 1 otherwise, 2 wrong usage.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class LargeCommand implements Callable<Integer> {

    private static final String HEAP = "1g";
    private static final String ARCHIVE = "nifi.content.repository.archive.enabled";
    private static final long WARM_UP_BYTES = 1024L * 1024 * 1024;
    private static final double MEBIBYTE = 1024 * 1024;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "1g",
            converter = SizeConverter.class,
            description = "Content of the one FlowFile; default: ${DEFAULT-VALUE}.")
    private long size;

    @Option(
            names = "--concurrent",
            paramLabel = "N",
            defaultValue = "50",
            description = "FlowFiles at once in the second part; default: ${DEFAULT-VALUE}.")
    private int concurrent;

    @Option(
            names = "--concurrent-size",
            paramLabel = "SIZE",
            defaultValue = "100m",
            converter = SizeConverter.class,
            description = "Content of each of them; default: ${DEFAULT-VALUE}.")
    private long concurrentSize;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "1",
            description = "How often everything is measured, in turn; default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Mixin
    private EmbeddedOptions embedded;

    @Mixin
    private ResultsOption results;

    private final Map<String, List<Transfer>> transfers = new LinkedHashMap<>();

    @Override
    public Integer call() throws InterruptedException {
        if (size < 1 || concurrent < 1 || concurrentSize < 1 || rounds < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--size, --concurrent, --concurrent-size and --rounds must be 1 or more");
        }
        embedded.usualHeap(HEAP);
        embedded.usualProperty(ARCHIVE, "false");
        results.prepare();
        try (Interruption interruption = Interruption.install();
                EmbeddedNifi stock = embedded.start(Listener.STOCK);
                EmbeddedNifi nio = embedded.start(Listener.NIO)) {
            final BufferSummary buffers = new BufferSummary(nio, interruption);
            final LargeScenario onNio = new LargeScenario(nio, interruption);
            final LargeScenario onStock = new LargeScenario(stock, interruption);
            onNio.push(1, WARM_UP_BYTES);
            onStock.push(1, WARM_UP_BYTES);
            for (int round = 1; round <= rounds; round++) {
                // Who comes second writes while the disk still has to take what the first one wrote.
                final boolean nioFirst = round % 2 == 1;
                pushTurns(1, size, nioFirst, onNio, onStock, interruption);
                pushTurns(concurrent, concurrentSize, nioFirst, onNio, onStock, interruption);
            }
            return report(buffers.mostBytes(buffers.count() + 1), Completion.of(interruption.interrupted()));
        }
    }

    private void pushTurns(
            final int count,
            final long bytes,
            final boolean nioFirst,
            final LargeScenario onNio,
            final LargeScenario onStock,
            final Interruption interruption)
            throws InterruptedException {
        for (final boolean isNio : List.of(nioFirst, !nioFirst)) {
            if (!interruption.interrupted()) {
                keep(isNio ? "nio" : "stock", (isNio ? onNio : onStock).push(count, bytes));
            }
        }
    }

    private void keep(final String listener, final Transfer transfer) {
        transfers
                .computeIfAbsent(name(listener, transfer), key -> new ArrayList<>())
                .add(transfer);
        results.say(
                "%s: %,.0f MB/s, %d equal, %d different, %d failed",
                name(listener, transfer),
                transfer.megabytesPerSecond(),
                transfer.equal(),
                transfer.different(),
                transfer.outcome().failures().size());
        transfer.outcome().failures().stream()
                .distinct()
                .forEach(cause -> results.remark(listener + " failed: " + cause));
    }

    private static String name(final String listener, final Transfer transfer) {
        return String.format(
                Locale.ROOT,
                "%s, %,d × %,.0f MiB",
                listener,
                transfer.plan().flowFiles(),
                transfer.plan().bytes() / MEBIBYTE);
    }

    private int report(final OptionalLong mostBuffered, final Completion completion) {
        DataTable table = DataTable.of(
                        "Large FlowFiles",
                        Column.of("medians"),
                        Column.of("rate", "MB/s", 0),
                        Column.of("nio / stock", null, 2),
                        Column.of("equal digests"),
                        Column.of("failed or different"),
                        Column.of("server CPU", "ms per MB", 2),
                        Column.of("most server RSS", "MiB", 0),
                        Column.of("heap afterwards", "MiB", 0))
                .noted(
                        "MB are millions of bytes, from the first connect until the last TRANSACTION_FINISHED. CPU and RSS"
                                + " include the sink, which reads everything again.");
        for (final Map.Entry<String, List<Transfer>> entry : transfers.entrySet()) {
            table = row(table, entry.getKey(), entry.getValue());
        }
        results.table(table);
        mostBuffered.ifPresent(bytes -> results.remark(String.format(
                Locale.ROOT, "The NIO listener had at most %,.1f MiB buffered, by its own log.", bytes / MEBIBYTE)));
        results.chart(Chart.bar(
                "Rate of large FlowFiles",
                new Chart.Axis("FlowFiles", ""),
                new Chart.Axis("content", "MB/s"),
                List.of(series("stock"), series("nio"))));
        final boolean flawless = onNio().stream().allMatch(Transfer::flawless) && !onNio().isEmpty();
        results.finish(verdict(flawless), completion);
        return flawless ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private DataTable row(final DataTable table, final String name, final List<Transfer> runs) {
        final List<Transfer> ofStock = transfers.get(name.replace("nio,", "stock,"));
        final Transfer last = runs.getLast();
        final double cpuMillis =
                Medians.median(runs.stream().mapToDouble(run -> run.server().cpuMillis()));
        return table.row(
                name,
                rate(runs),
                ofStock == null || ofStock == runs ? null : rate(runs) / rate(ofStock),
                runs.stream().mapToLong(Transfer::equal).sum(),
                runs.stream()
                        .mapToLong(run ->
                                run.different() + run.outcome().failures().size())
                        .sum(),
                cpuMillis / (last.plan().totalBytes() / 1e6),
                runs.stream()
                                .mapToLong(run -> run.server().maxResidentBytes())
                                .max()
                                .orElseThrow()
                        / MEBIBYTE,
                last.heapAfterBytes() / MEBIBYTE);
    }

    private Chart.Series series(final String listener) {
        return new Chart.Series(
                listener,
                transfers.entrySet().stream()
                        .filter(entry -> entry.getKey().startsWith(listener))
                        .map(entry -> new Chart.Point(
                                entry.getKey().substring(listener.length() + 2), rate(entry.getValue())))
                        .toList());
    }

    private String verdict(final boolean flawless) {
        final StringBuilder text = new StringBuilder(
                flawless
                        ? "Everything that the NIO listener took arrived as it was sent"
                        : "Not everything arrived on the NIO listener as it was sent");
        transfers.forEach((name, runs) -> {
            final List<Transfer> ofStock = transfers.get(name.replace("nio,", "stock,"));
            if (name.startsWith("nio") && ofStock != null) {
                text.append(String.format(
                        Locale.ROOT,
                        "; %s: %,.0f MB/s, %.2f × the stock listener's",
                        name.substring("nio, ".length()),
                        rate(runs),
                        rate(runs) / rate(ofStock)));
            }
        });
        return text.append('.').toString();
    }

    private List<Transfer> onNio() {
        return transfers.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("nio"))
                .flatMap(entry -> entry.getValue().stream())
                .toList();
    }

    private static double rate(final List<Transfer> runs) {
        return Medians.median(runs.stream().mapToDouble(Transfer::megabytesPerSecond));
    }
}
