// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.load.ClientStats;
import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;

/** The CSV of the 2019 scale test, a line per client, and the line of its index. Stateless; any thread. */
public final class ScaleCsv {

    static final String HEADER = "clientId,start,end,failures,createTxMillis,sendMillis,confirmMillis,completeMillis,"
            + "avgCreate,avgSend,avgConfirm,avgComplete";

    private static final DateTimeFormatter FILE_TIME = DateTimeFormatter.ofPattern("yyyyMMdd_HHmm", Locale.ROOT);
    private static final List<Phase> PHASES = List.of(Phase.CREATE, Phase.SEND, Phase.CONFIRM, Phase.COMPLETE);

    private ScaleCsv() {}

    /** The file's name: {@code yyyyMMdd_HHmm_<clients>.csv}. */
    public static String fileName(final LoadOutcome outcome, final ZoneId zone) {
        return FILE_TIME.format(LocalDateTime.ofInstant(outcome.started(), zone)) + "_"
                + Math.max(1, outcome.clients().size()) + ".csv";
    }

    /** The file's lines: the header and a line per client. */
    public static List<String> lines(final LoadOutcome outcome) {
        return Stream.concat(Stream.of(HEADER), outcome.clients().stream().map(ScaleCsv::line))
                .toList();
    }

    /** The index line of a run: the line, without its end. */
    public static String indexLine(final String file, final LoadSettings settings, final LoadOutcome outcome) {
        final long attempted = outcome.successes() + outcome.failed();
        final long transactions = settings.transactions() == LoadSettings.UNLIMITED
                ? attempted / Math.max(1, outcome.clients().size())
                : settings.transactions();
        final String counts = ("- %s: numOfClient=%d, numOfTx=%d, numOfPacketsPerTx=%d,"
                        + " txIntervalMillis=%d, totalSuccessfulTx=%d, totalFailureTx=%d")
                .formatted(
                        file,
                        Math.max(1, outcome.clients().size()),
                        transactions,
                        settings.shape().packets(),
                        settings.interval().toMillis(),
                        outcome.successes(),
                        outcome.failed());
        return String.join(
                ", ",
                counts,
                "avgCreateTxMillis=" + average(Phase.CREATE, outcome),
                "avgSendMillis=" + average(Phase.SEND, outcome),
                "avgConfirmMillis=" + average(Phase.CONFIRM, outcome),
                "avgCompleteMillis=" + average(Phase.COMPLETE, outcome));
    }

    private static String average(final Phase phase, final LoadOutcome outcome) {
        final double sum = outcome.clients().stream()
                .mapToDouble(client -> client.averageMillis(phase) * client.successes())
                .sum();
        return decimal(outcome.successes() == 0 ? 0 : sum / outcome.successes());
    }

    private static String line(final ClientStats client) {
        final List<Object> cells =
                new ArrayList<>(List.of(client.client(), client.startMillis(), client.endMillis(), client.failures()));
        PHASES.forEach(phase -> cells.add(client.millis(phase)));
        PHASES.forEach(phase -> cells.add(decimal(client.averageMillis(phase))));
        return cells.stream().map(Object::toString).collect(Collectors.joining(","));
    }

    private static String decimal(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
