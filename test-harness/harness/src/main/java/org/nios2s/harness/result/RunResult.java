// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;
import org.nios2s.harness.load.SteadyWindow;

/** Every figure of one run. Immutable, any thread. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunResult(
        Place place,
        String run,
        String client,
        Instant started,
        LoadSettings settings,
        double seconds,
        SteadyWindow window,
        boolean interrupted,
        long transactions,
        double transactionsPerSecond,
        long bytes,
        long failures,
        Map<String, Long> failuresByCause,
        long abandoned,
        long unbegun,
        long destinationFull,
        Map<Phase, LatencySummary> latencyMillis,
        GeneratorFigures generator,
        ServerFigures server,
        LedgerFigures ledger,
        Disturbance disturbance,
        TimeSeries series,
        Map<String, Double> probes) {

    /**
     * Where in an experiment a run stands.
     *
     * @param row    what the load is called; empty when there is only one
     * @param column what the target is called
     * @param round  from 1
     * @param lap    of that measurement, from 1
     */
    public record Place(String row, String column, int round, int lap) {

        /** What is measured several times: row and column. */
        public String kind() {
            return row.isEmpty() ? column : row + ", " + column;
        }

        @Override
        public String toString() {
            return kind() + " #" + round + (lap > 1 ? "." + lap : "");
        }
    }

    /**
     * What else the machine did during a run. Immutable, any thread.
     *
     * @param foreignPercent processor time of processes that are neither the server nor the generator, in percent of one
     *                       processor
     * @param stolenPercent  processor time that the machine's host gave to others, likewise
     */
    public record Disturbance(double foreignPercent, double stolenPercent) {}

    /** What a run cost the process that makes the load, and whether it kept up. Immutable, any thread. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record GeneratorFigures(
            double cpuMillisPerTransaction, double cpuPercent, double busiestThreadPercent, Double lateP99Millis) {}

    /** What a run cost the server's process. Immutable, any thread. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ServerFigures(
            double cpuMillis,
            double cpuMillisPerTransaction,
            double cpuPercent,
            Double idlePercent,
            Double netCpuMillisPerTransaction,
            long maxResidentBytes,
            int maxThreads) {}

    /**
     * How a run went, second by second. Immutable, any thread.
     *
     * @param samples one per second; the last may be that of a part of one, if it is half a second or more
     */
    public record TimeSeries(List<Sample> samples) {

        public TimeSeries {
            samples = List.copyOf(samples);
        }

        /** One second of a run. What is not known is null. */
        @JsonInclude(JsonInclude.Include.NON_NULL)
        public record Sample(
                double second,
                double transactionsPerSecond,
                Map<String, Long> failures,
                Double p50Millis,
                Double p99Millis,
                Double serverCpuPercent,
                Double generatorCpuPercent,
                Double serverResidentMebibytes,
                Integer serverThreads) {}
    }

    /** What the run is called. */
    public String label() {
        return place.toString();
    }

    /** The same run at another place of another page. */
    public RunResult at(final Place other) {
        return new RunResult(
                other,
                run,
                client,
                started,
                settings,
                seconds,
                window,
                interrupted,
                transactions,
                transactionsPerSecond,
                bytes,
                failures,
                failuresByCause,
                abandoned,
                unbegun,
                destinationFull,
                latencyMillis,
                generator,
                server,
                ledger,
                disturbance,
                series,
                probes);
    }

    /** Whether nothing failed, nothing was given up, and every packet arrived once. */
    public boolean flawless() {
        return failures == 0 && !interrupted && transactions > 0 && (ledger == null || ledger.exact());
    }
}
