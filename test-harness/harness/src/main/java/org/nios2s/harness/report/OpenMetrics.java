// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.report;

import java.util.List;
import java.util.stream.Collectors;
import org.nios2s.harness.analysis.Metric;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.Place;

/** Metrics of runs as OpenMetrics text, for tools that keep them over time. Stateless, any thread. */
public final class OpenMetrics {

    /** Name of the file beside result.json. */
    public static final String FILE = "metrics.txt";

    private OpenMetrics() {}

    /** A gauge for each metric that some run has. */
    public static String of(final String experiment, final List<RunResult> runs) {
        return Metric.all()
                .filter(metric -> metric.range(runs).isPresent())
                .map(metric -> gauge(experiment, metric, runs))
                .collect(Collectors.joining("", "", "# EOF\n"));
    }

    private static String gauge(final String experiment, final Metric metric, final List<RunResult> runs) {
        final String name = "s2s_" + metric.key().replace('-', '_');
        final StringBuilder text = new StringBuilder("# TYPE " + name + " gauge\n");
        for (final RunResult run : runs) {
            final Place place = run.place();
            metric.of(run)
                    .ifPresent(value -> text.append(Metric.words(
                            "%s{experiment=\"%s\",target=\"%s\",load=\"%s\",round=\"%d\",repetition=\"%d\"} %s\n",
                            name,
                            escaped(experiment),
                            escaped(place.column()),
                            escaped(place.row()),
                            place.round(),
                            place.repetition(),
                            value)));
        }
        return text.toString();
    }

    private static String escaped(final String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
