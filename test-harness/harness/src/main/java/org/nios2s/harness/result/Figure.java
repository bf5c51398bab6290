// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;
import org.nios2s.harness.load.Phase;

/**
 * The figures of a run that tables show, each with its name, unit and number of decimals. A constant, any thread.
 */
public enum Figure {
    /** Acknowledged transactions per second. */
    RATE("tx/s", 0, run -> OptionalDouble.of(run.transactionsPerSecond())),
    /** Failed transactions. */
    FAILURES("failures", 0, run -> OptionalDouble.of(run.failures())),
    /** Median of the whole transaction. */
    TOTAL_P50("total p50 ms", 1, run -> latency(run, Phase.TOTAL, LatencySummary::p50)),
    /** Tail of the whole transaction. */
    TOTAL_P99("total p99 ms", 1, run -> latency(run, Phase.TOTAL, LatencySummary::p99)),
    /** Longest whole transaction. */
    TOTAL_MAX("total max ms", 1, run -> latency(run, Phase.TOTAL, LatencySummary::max)),
    /** Tail from the intended start, in paced runs. */
    RESPONSE_P99("from intended start p99 ms", 1, run -> latency(run, Phase.RESPONSE, LatencySummary::p99)),
    /** Processor time of the server per transaction. */
    SERVER_CPU("server CPU ms/tx", 3, run -> server(run, ServerFigures::cpuMillisPerTransaction)),
    /** Most threads of the server. */
    SERVER_THREADS("server threads", 0, run -> server(run, figures -> (double) figures.maxThreads())),
    /** Most memory of the server in RAM. */
    SERVER_RSS("server RSS MiB", 0, run -> server(run, figures -> figures.maxResidentBytes() / Figure.MEBIBYTE)),
    /** Processor time of the generator per transaction. */
    GENERATOR_CPU("generator CPU ms/tx", 3, run -> generator(run, GeneratorFigures::cpuMillisPerTransaction)),
    /** Acknowledged packets that never arrived. */
    LOST("lost packets", 0, run -> ledger(run, LedgerFigures::lost)),
    /** Packets that arrived more than once. */
    DUPLICATED("duplicated packets", 0, run -> ledger(run, LedgerFigures::duplicated));

    /** What stands where there is no figure. */
    public static final String NONE = "–";

    private static final double MEBIBYTE = 1024 * 1024;

    private final String title;
    private final int decimals;
    private final Function<RunResult, OptionalDouble> value;

    Figure(final String title, final int decimals, final Function<RunResult, OptionalDouble> value) {
        this.title = title;
        this.decimals = decimals;
        this.value = value;
    }

    /**
     * Name and unit.
     *
     * @return a column's or a row's title
     */
    public String title() {
        return title;
    }

    /**
     * The figure of a run.
     *
     * @param run the run
     * @return empty when the run does not have it
     */
    public OptionalDouble of(final RunResult run) {
        return value.apply(run);
    }

    /**
     * The column of a table that shows this figure.
     *
     * @return the column
     */
    public DataTable.Column column() {
        return new DataTable.Column(title, null, decimals);
    }

    /**
     * The cell of a table that shows this figure.
     *
     * @param run the run
     * @return null when the run does not have it
     */
    public Double cell(final RunResult run) {
        final OptionalDouble number = of(run);
        return number.isPresent() ? number.getAsDouble() : null;
    }

    /**
     * A value of this figure as text.
     *
     * @param number the value
     * @return with as many decimals as make sense
     */
    public String format(final double number) {
        return String.format(Locale.ROOT, "%,." + decimals + "f", number);
    }

    /**
     * The figure of a run as text.
     *
     * @param run the run
     * @return {@link #NONE} when the run does not have it
     */
    public String text(final RunResult run) {
        final OptionalDouble number = of(run);
        return number.isPresent() ? format(number.getAsDouble()) : NONE;
    }

    private static OptionalDouble latency(
            final RunResult run, final Phase phase, final Function<LatencySummary, Double> part) {
        final LatencySummary summary = run.latencyMillis().get(phase);
        return summary == null || summary.count() == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(part.apply(summary));
    }

    private static OptionalDouble server(final RunResult run, final Function<ServerFigures, Double> part) {
        return run.server() == null ? OptionalDouble.empty() : OptionalDouble.of(part.apply(run.server()));
    }

    private static OptionalDouble generator(final RunResult run, final Function<GeneratorFigures, Double> part) {
        return run.generator() == null ? OptionalDouble.empty() : OptionalDouble.of(part.apply(run.generator()));
    }

    private static OptionalDouble ledger(final RunResult run, final Function<LedgerFigures, Long> part) {
        return run.ledger() == null ? OptionalDouble.empty() : OptionalDouble.of(part.apply(run.ledger()));
    }
}
