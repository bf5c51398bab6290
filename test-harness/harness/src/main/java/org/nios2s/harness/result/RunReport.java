// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.result.DataTable.Column;

/**
 * The text that says how a run went: its figures, the times of its phases, its failures. Stateless, any thread.
 */
public final class RunReport {

    private static final List<Figure> FIGURES = List.of(
            Figure.RATE,
            Figure.SERVER_CPU,
            Figure.SERVER_THREADS,
            Figure.SERVER_RSS,
            Figure.GENERATOR_CPU,
            Figure.LOST,
            Figure.DUPLICATED);

    private RunReport() {}

    /**
     * The text of one run.
     *
     * @param run the run
     * @return lines, each with its end
     */
    public static String of(final RunResult run) {
        final StringBuilder text = new StringBuilder();
        line(
                text,
                "%s, client %s: %,d clients, %,d transactions acknowledged, %,d failed, in %.1f s%s",
                run.listener(),
                run.client(),
                run.settings().clients(),
                run.transactions(),
                run.failures(),
                run.seconds(),
                run.interrupted() ? " (ended early: these are the figures of a part)" : "");
        final TextTable figures = new TextTable("figure", "value");
        FIGURES.forEach(figure -> figures.row(List.of(figure.title(), figure.text(run))));
        text.append(System.lineSeparator()).append(figures).append(System.lineSeparator());
        final TextTable times = new TextTable("ms", "average", "p50", "p99", "max");
        run.latencyMillis().forEach((phase, summary) -> times.row(row(phase, summary)));
        text.append(times).append(System.lineSeparator());
        run.failuresByCause().forEach((cause, count) -> line(text, "failed: %,d × %s", count, cause));
        if (run.destinationFull() > 0) {
            line(text, "destination full after %,d transactions", run.destinationFull());
        }
        appendLedger(text, run.ledger());
        return text.toString();
    }

    /**
     * One row per run, one column per figure.
     *
     * @param title   what the table shows
     * @param runs    the runs; each row has its run's label
     * @param figures the columns
     * @return the table
     */
    public static DataTable sideBySide(final String title, final List<RunResult> runs, final List<Figure> figures) {
        DataTable table = DataTable.of(
                title,
                Stream.concat(Stream.of(Column.of("listener")), figures.stream().map(Figure::column))
                        .toArray(Column[]::new));
        for (final RunResult run : runs) {
            table = table.row(
                    Stream.concat(Stream.of(run.label()), figures.stream().map(figure -> figure.cell(run)))
                            .toArray());
        }
        return table;
    }

    private static void appendLedger(final StringBuilder text, final LedgerFigures ledger) {
        if (ledger == null) {
            line(text, "no ledger at hand: lost and duplicated packets were not counted");
            return;
        }
        line(
                text,
                "ledger: %,d packets acknowledged, %,d arrived, %,d lost, %,d duplicated, %,d of failed transactions%s",
                ledger.acknowledged(),
                ledger.arrived(),
                ledger.lost(),
                ledger.duplicated(),
                ledger.unacknowledged(),
                ledger.settled() ? "" : "; the ledger did not come to rest: packets may only be late");
    }

    private static List<String> row(final Phase phase, final LatencySummary summary) {
        final String name =
                phase == Phase.RESPONSE ? "from intended start" : phase.name().toLowerCase(Locale.ROOT);
        return Stream.concat(
                        Stream.of(name),
                        Stream.of(summary.average(), summary.p50(), summary.p99(), summary.max())
                                .map(value -> String.format(Locale.ROOT, "%,.1f", value)))
                .toList();
    }

    private static void line(final StringBuilder text, final String format, final Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
    }
}
