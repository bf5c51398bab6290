// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * All that an experiment found: what result.json holds and the report shows. Immutable; any thread.
 *
 * @param experiment  its name
 * @param started     when it began
 * @param setup       what was measured, and where
 * @param completion  whether it came to its end
 * @param conclusion  what it says
 * @param tables      its metrics
 * @param charts      the same, drawn
 * @param runs        every run
 * @param comparisons what is compared with what
 */
public record ExperimentResult(
        String experiment,
        Instant started,
        Setup setup,
        Completion completion,
        Conclusion conclusion,
        List<DataTable> tables,
        List<Chart> charts,
        List<RunResult> runs,
        List<Comparison> comparisons) {

    /**
     * The measured work, and the machine. Immutable; any thread.
     *
     * @param machine the machine, and the versions on it
     * @param config  settings of the experiment
     * @param repeat  how to measure it again; null for what was put together from several results
     */
    public record Setup(Machine machine, Map<String, Object> config, Repeat repeat) {

        public Setup {
            config = new LinkedHashMap<>(config);
        }
    }

    /**
     * The verdict of an experiment. Immutable; any thread.
     *
     * @param sentence  what held in it, in a sentence that one would say
     * @param verdict   what it says, with its metrics and what to beware of
     * @param headlines the few metrics that tell most
     * @param remarks   what to beware of
     * @param crossed   the gates that it has crossed; null in older results
     * @param caveats   what to beware of, in a line; null in older results
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Conclusion(
            String sentence,
            String verdict,
            List<Headline> headlines,
            List<String> remarks,
            List<String> crossed,
            String caveats) {

        public Conclusion {
            headlines = List.copyOf(headlines);
            remarks = List.copyOf(remarks);
        }

        /** One without gates and without caveats. */
        public Conclusion(
                final String sentence,
                final String verdict,
                final List<Headline> headlines,
                final List<String> remarks) {
            this(sentence, verdict, headlines, remarks, List.of(), "");
        }
    }

    /**
     * How to measure it again. Immutable; any thread.
     *
     * @param command    the command line
     * @param experiment the file that says the same
     */
    public record Repeat(String command, String experiment) {}

    /** How an experiment ended: whether its metrics are those of all of it. Immutable; any thread. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Completion(State state, String reason) {

        /** The verdict of a result that is written while there is more to measure, and that stays after a kill. */
        public static final Completion RUNNING = new Completion(
                State.RUNNING, "It is still running, or it was killed: these figures are of a part of the runs.");

        public static final Completion COMPLETE = new Completion(State.COMPLETE, null);
        public static final Completion INTERRUPTED = new Completion(
                State.INTERRUPTED, "It was interrupted (Ctrl-C): these figures are of a part of the runs.");

        /** How an experiment can end; unless it is complete, metrics are those of a part. */
        public enum State {
            RUNNING,
            COMPLETE,
            INTERRUPTED,
            FAILED
        }

        public boolean complete() {
            return state == State.COMPLETE;
        }
    }

    /**
     * A figure that is shown large. Immutable; any thread.
     *
     * @param value   medians
     * @param range   least and most of each
     * @param caption what it is
     */
    public record Headline(String value, String range, String caption) {}

    public ExperimentResult {
        // A file of another form of this record has none of the two.
        Objects.requireNonNull(setup, "another version of the harness has written it, without a setup");
        Objects.requireNonNull(conclusion, "another version of the harness has written it, without a conclusion");
        tables = List.copyOf(tables);
        charts = List.copyOf(charts);
        runs = List.copyOf(runs);
        comparisons = List.copyOf(comparisons);
    }
}
