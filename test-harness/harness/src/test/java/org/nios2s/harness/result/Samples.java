// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;

/** Results as a scenario would make them, with figures that are easy to recognize. Stateless. */
public final class Samples {

    private static final long FAILURES = 3;
    /** A cause that would break a page which does not escape it. */
    public static final String CAUSE = "time-out while \"waiting\" </script><b>";

    private static final double MILLIS = 4.5;

    private Samples() {}

    /** A run of a listener with a time series of some seconds. */
    public static RunResult run(final String label, final String listener, final double rate) {
        return run(label, listener, rate, new GeneratorFigures(0.1, 20, 15, 1.0), new Disturbance(5, 0));
    }

    static RunResult run(
            final String label,
            final String listener,
            final double rate,
            final GeneratorFigures generator,
            final Disturbance disturbance) {
        final List<TimeSeries.Sample> samples = new ArrayList<>();
        for (int second = 1; second <= 5; second++) {
            samples.add(new TimeSeries.Sample(
                    second,
                    rate + second,
                    second == 2 ? Map.of(CAUSE, FAILURES) : Map.of(),
                    MILLIS,
                    second == 1 ? null : 2 * MILLIS,
                    120.5,
                    20.0,
                    900.0,
                    100));
        }
        return new RunResult(
                label,
                "r1",
                listener,
                "wire",
                Instant.parse("2026-11-21T10:00:00Z"),
                settings(),
                5,
                false,
                (long) (5 * rate),
                rate,
                FAILURES,
                Map.of(CAUSE, FAILURES),
                0,
                0,
                Map.of(Phase.TOTAL, new LatencySummary(10, 5, 4, 9, 10)),
                generator,
                new ServerFigures(100, 0.5, 50, 1 << 30, 100),
                new LedgerFigures(50, 50, 0, 0, 0, true),
                disturbance,
                new TimeSeries(samples));
    }

    /** A comparison of two runs. */
    public static ScenarioResult comparison() {
        final RunResult stock = run("1-stock", "stock", 1_000);
        final RunResult nio = run("1-nio", "nio", 2_500);
        final Comparison comparison = Comparison.of(List.of(stock), List.of(nio));
        return ScenarioResult.builder("compare")
                .run(stock)
                .run(nio)
                .table(comparison.table())
                .chart(Chart.line(
                        "Rate by connections",
                        new Chart.Axis("connections", "connections"),
                        new Chart.Axis("rate", "req/s"),
                        List.of(Chart.Series.of("nio", new double[] {1, 2}, new double[] {10, 20}))))
                .remark("The machine was noisy.")
                .config(Map.of("clients", 100, "interval", "10ms"))
                .build(Verdict.of(comparison), Completion.COMPLETE);
    }

    private static LoadSettings settings() {
        final Duration second = Duration.ofSeconds(1);
        return new LoadSettings(1, 10, Duration.ZERO, 5, 10, Duration.ZERO, Duration.ZERO, second);
    }
}
