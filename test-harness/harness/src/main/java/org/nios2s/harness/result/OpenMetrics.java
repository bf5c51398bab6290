// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Figures of runs as OpenMetrics text, for whoever keeps them over time. Stateless, any thread.
 */
public final class OpenMetrics {

    /** Name of the file beside result.json. */
    public static final String FILE = "metrics.txt";

    private OpenMetrics() {}

    /** A gauge for each figure. */
    public static <T> String of(
            final String experiment,
            final Map<String, Map<T, Double>> figures,
            final Function<T, RunResult.Place> labels) {
        final StringBuilder text = new StringBuilder();
        figures.forEach((figure, values) -> {
            final String name = "s2s_" + figure.replace('-', '_');
            text.append("# TYPE ").append(name).append(" gauge\n");
            values.forEach((run, value) -> {
                final RunResult.Place place = labels.apply(run);
                text.append(String.format(
                        Locale.ROOT,
                        "%s{experiment=\"%s\",target=\"%s\",load=\"%s\",round=\"%d\",lap=\"%d\"} %s\n",
                        name,
                        escaped(experiment),
                        escaped(place.column()),
                        escaped(place.row()),
                        place.round(),
                        place.lap(),
                        value));
            });
        });
        return text.append("# EOF\n").toString();
    }

    private static String escaped(final String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
