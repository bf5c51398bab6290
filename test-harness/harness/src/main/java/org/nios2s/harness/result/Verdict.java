// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.nios2s.harness.load.Phase;

/**
 * Says in a sentence what came out. Stateless, any thread.
 */
public final class Verdict {

    private static final double ALIKE = 0.05;
    private static final double PERCENT = 100;

    private Verdict() {}

    /**
     * What a comparison says.
     *
     * @param comparison stock against NIO
     * @return a sentence
     */
    public static String of(final Comparison comparison) {
        final Comparison.Line rate = comparison.line(Figure.RATE).orElse(null);
        if (rate == null) {
            return "Nothing was measured on both listeners.";
        }
        final StringBuilder text = new StringBuilder(rate(rate));
        comparison
                .line(Figure.SERVER_CPU)
                .filter(line -> line.ratio() != null)
                .ifPresent(line -> text.append(words(
                        ", at %.2f × its server CPU per transaction (%s against %s ms)",
                        line.ratio(),
                        line.figure().format(line.nio().median()),
                        line.figure().format(line.stock().median()))));
        comparison.line(Figure.FAILURES).ifPresent(line -> text.append(failures(line)));
        return text.append('.').toString();
    }

    /**
     * What a comparison of clients says.
     *
     * @param comparison NiFi's own client, in place of the stock listener, against another
     * @param other      what the other is called
     * @return a sentence
     */
    public static String of(final Comparison comparison, final String other) {
        final Comparison.Line rate = comparison.line(Figure.RATE).orElse(null);
        final Comparison.Line cost = comparison.line(Figure.GENERATOR_CPU).orElse(null);
        if (rate == null || cost == null || rate.ratio() == null || cost.ratio() == null) {
            return "Nothing was measured with both clients.";
        }
        return words(
                "The %s client makes %.2f × the transactions per second of NiFi's own (%s against %s tx/s) at %.2f × its"
                        + " processor time (%s against %s ms per transaction)%s.",
                other,
                rate.ratio(),
                rate.figure().format(rate.nio().median()),
                rate.figure().format(rate.stock().median()),
                cost.ratio(),
                cost.figure().format(cost.nio().median()),
                cost.figure().format(cost.stock().median()),
                comparison.line(Figure.FAILURES).map(Verdict::failuresOfClients).orElse(""));
    }

    /**
     * What TLS costs.
     *
     * @param comparison plain TCP, in place of the stock listener, against TLS
     * @return a sentence
     */
    public static String ofTls(final Comparison comparison) {
        final Comparison.Line rate = comparison.line(Figure.RATE).orElse(null);
        final Comparison.Line cost = comparison.line(Figure.SERVER_CPU).orElse(null);
        if (rate == null || cost == null || rate.ratio() == null || cost.ratio() == null) {
            return "Nothing was measured both over plain TCP and over TLS.";
        }
        return words(
                "Over TLS %.0f %% of the transactions per second of plain TCP (%s against %s tx/s) at %.2f × its server CPU"
                        + " (%s against %s ms per transaction)%s.",
                PERCENT * rate.ratio(),
                rate.figure().format(rate.nio().median()),
                rate.figure().format(rate.stock().median()),
                cost.ratio(),
                cost.figure().format(cost.nio().median()),
                cost.figure().format(cost.stock().median()),
                comparison.line(Figure.FAILURES).map(Verdict::failuresOverTls).orElse(""));
    }

    private static String failuresOverTls(final Comparison.Line line) {
        return line.nio().most() == 0 && line.stock().most() == 0
                ? "; no failure in either"
                : words(
                        "; failures in the worst run: %s over TLS, %s without",
                        line.figure().format(line.nio().most()),
                        line.figure().format(line.stock().most()));
    }

    private static String failuresOfClients(final Comparison.Line line) {
        return line.nio().most() == 0 && line.stock().most() == 0
                ? "; neither had a failure"
                : words(
                        "; failures in the worst run: %s, with NiFi's own %s",
                        line.figure().format(line.nio().most()),
                        line.figure().format(line.stock().most()));
    }

    /**
     * What one or several runs say.
     *
     * @param runs the runs
     * @return a sentence
     */
    public static String of(final List<RunResult> runs) {
        return runs.isEmpty()
                ? "Nothing was measured."
                : runs.stream().map(Verdict::of).collect(Collectors.joining("; ", "", "."));
    }

    private static String of(final RunResult run) {
        final LatencySummary total = run.latencyMillis().get(Phase.TOTAL);
        return words(
                "%s: %,d clients, %,.0f tx/s, %s%s",
                run.label(),
                run.settings().clients(),
                run.transactionsPerSecond(),
                run.failures() == 0 ? "no failure" : words("%,d failures", run.failures()),
                total == null || total.count() == 0 ? "" : words(", p99 %,.1f ms", total.p99()));
    }

    private static String rate(final Comparison.Line line) {
        final String figures = words(
                "(%s against %s tx/s)",
                line.figure().format(line.nio().median()),
                line.figure().format(line.stock().median()));
        if (line.ratio() == null) {
            return "The stock listener acknowledged nothing " + figures;
        }
        return Math.abs(line.ratio() - 1) < ALIKE
                ? "The NIO listener acknowledges as many transactions per second as the stock one " + figures
                : words(
                        "The NIO listener acknowledges %.1f × the transactions per second of the stock one %s",
                        line.ratio(), figures);
    }

    private static String failures(final Comparison.Line line) {
        if (line.nio().most() == 0 && line.stock().most() == 0) {
            return "; neither had a failure";
        }
        return words(
                "; failures in the worst run: %s with NIO, %s with stock",
                line.figure().format(line.nio().most()),
                line.figure().format(line.stock().most()));
    }

    private static String words(final String format, final Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
