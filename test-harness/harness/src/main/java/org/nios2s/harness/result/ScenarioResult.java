// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Everything that one command found out: result.json holds it, report.html shows it. Immutable, any thread.
 *
 * @param scenario   name of the command
 * @param verdict    what came out, in a sentence
 * @param started    when it began
 * @param machine    where it ran, and the versions of what ran
 * @param config     every setting in force, by the name of its option
 * @param completion whether this is all of it
 * @param remarks    what one has to know beside the verdict: a noisy machine, a generator that was the limit
 * @param headlines  the few figures that count most
 * @param tables     figures that belong together
 * @param charts     the same as pictures
 * @param runs       every figure of every run that counts, with its time series
 */
public record ScenarioResult(
        String scenario,
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

    /** Copies the collections. */
    public ScenarioResult {
        Objects.requireNonNull(verdict, "verdict");
        config = new LinkedHashMap<>(config);
        remarks = List.copyOf(remarks);
        headlines = List.copyOf(headlines);
        tables = List.copyOf(tables);
        charts = List.copyOf(charts);
        runs = List.copyOf(runs);
    }

    /**
     * Begins to collect a result.
     *
     * @param scenario name of the command
     * @return to which what is found out is added
     */
    public static Builder builder(final String scenario) {
        return new Builder(scenario);
    }

    /**
     * Collects a result while a scenario runs. For one thread.
     */
    public static final class Builder {

        private final String scenario;
        private final Instant started = Instant.now();
        private final List<String> remarks = new ArrayList<>();
        private final List<Headline> headlines = new ArrayList<>();
        private final List<DataTable> tables = new ArrayList<>();
        private final List<Chart> charts = new ArrayList<>();
        private final List<RunResult> runs = new ArrayList<>();
        private Map<String, Object> config = Map.of();

        private Builder(final String scenario) {
            this.scenario = scenario;
        }

        /**
         * Adds a run that counts.
         *
         * @param run the run
         * @return this
         */
        public Builder run(final RunResult run) {
            runs.add(run);
            return this;
        }

        /**
         * Adds a figure that counts most.
         *
         * @param headline the figure
         * @return this
         */
        public Builder headline(final Headline headline) {
            headlines.add(headline);
            return this;
        }

        /**
         * Adds a table.
         *
         * @param table figures that belong together
         * @return this
         */
        public Builder table(final DataTable table) {
            tables.add(table);
            return this;
        }

        /**
         * Adds a chart.
         *
         * @param chart what is drawn
         * @return this
         */
        public Builder chart(final Chart chart) {
            charts.add(chart);
            return this;
        }

        /**
         * Adds a remark.
         *
         * @param remark a sentence
         * @return this
         */
        public Builder remark(final String remark) {
            remarks.add(remark);
            return this;
        }

        /**
         * Sets the settings in force.
         *
         * @param settings values by the names of their options
         * @return this
         */
        public Builder config(final Map<String, Object> settings) {
            config = settings;
            return this;
        }

        /**
         * The runs so far.
         *
         * @return a copy
         */
        public List<RunResult> runs() {
            return List.copyOf(runs);
        }

        /**
         * What was collected.
         *
         * @param verdict    what came out, in a sentence
         * @param completion whether this is all of it
         * @return the result
         */
        public ScenarioResult build(final String verdict, final Completion completion) {
            return new ScenarioResult(
                    scenario,
                    verdict,
                    started,
                    Machine.current(),
                    config,
                    completion,
                    remarks,
                    headlines,
                    tables,
                    charts,
                    runs);
        }
    }
}
