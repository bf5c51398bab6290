// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * All that an experiment found: what result.json holds and the report shows. Immutable, any thread.
 *
 * @param experiment its name
 * @param verdict    what it says, in a sentence
 * @param started    when it began
 * @param machine    where
 * @param config     its settings
 * @param completion whether it came to its end
 * @param remarks    what to beware of
 * @param headlines  the few figures that tell most
 * @param tables     its figures
 * @param charts     the same, drawn
 * @param runs       every run
 */
public record ExperimentResult(
        String experiment,
        String verdict,
        Instant started,
        Machine machine,
        Map<String, Object> config,
        Completion completion,
        List<String> remarks,
        List<Headline> headlines,
        List<DataTable> tables,
        List<Chart> charts,
        List<RunResult> runs) {

    /** A figure that is shown large, and what it is. Immutable, any thread. */
    public record Headline(String value, String caption) {}

    public ExperimentResult {
        Objects.requireNonNull(verdict, "verdict");
        config = new LinkedHashMap<>(config);
        remarks = List.copyOf(remarks);
        headlines = List.copyOf(headlines);
        tables = List.copyOf(tables);
        charts = List.copyOf(charts);
        runs = List.copyOf(runs);
    }
}
