// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;
import org.nios2s.harness.load.LoadSettings;
import org.nios2s.harness.load.Phase;

/**
 * Every figure of one run. Immutable, any thread.
 *
 * @param label                 what the run is called in its scenario, such as {@code 1-nio}; also the
 *                               directory of its files
 * @param run                   name of the run, the first part of its packet ids
 * @param listener              what was measured: {@code nio}, {@code stock}, or the address of another target
 * @param client                what made the load
 * @param started               when the first client began
 * @param settings              what was sent
 * @param seconds               from there until the last client ended
 * @param interrupted           whether it was ended early, so that the figures are those of a part
 * @param transactions          acknowledged transactions
 * @param transactionsPerSecond their rate over all of the run, start jitter included
 * @param failures              failed transactions
 * @param failuresByCause       the same by cause
 * @param abandoned             transactions given up because the run was ended early
 * @param destinationFull       acknowledged transactions after which the destination was full
 * @param latencyMillis         times of the acknowledged transactions by phase
 * @param generator             what it cost this process, and whether it kept up
 * @param server                what it cost the server, or null when its process is not at hand
 * @param ledger                what became of the packets, or null when there is no ledger
 * @param disturbance           what else the machine did meanwhile, or null when it does not tell
 * @param series                how it went, second by second; null when nobody looked
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunResult(
        String label,
        String run,
        String listener,
        String client,
        Instant started,
        LoadSettings settings,
        double seconds,
        boolean interrupted,
        long transactions,
        double transactionsPerSecond,
        long failures,
        Map<String, Long> failuresByCause,
        long abandoned,
        long destinationFull,
        Map<Phase, LatencySummary> latencyMillis,
        GeneratorFigures generator,
        ServerFigures server,
        LedgerFigures ledger,
        Disturbance disturbance,
        TimeSeries series) {

    private static final Pattern NUMBER = Pattern.compile("^\\d+-|-\\d+$");

    /**
     * The same run under another name.
     *
     * @param name what the run is called in its scenario
     * @return the labelled run
     */
    public RunResult labelled(final String name) {
        return new RunResult(
                name,
                run,
                listener,
                client,
                started,
                settings,
                seconds,
                interrupted,
                transactions,
                transactionsPerSecond,
                failures,
                failuresByCause,
                abandoned,
                destinationFull,
                latencyMillis,
                generator,
                server,
                ledger,
                disturbance,
                series);
    }

    /**
     * What the run is, apart from its number: {@code stock} for {@code 2-stock} and for {@code stock-2}.
     *
     * @return the same for all runs that repeat the same work
     */
    public String kind() {
        return NUMBER.matcher(label).replaceAll("");
    }

    /**
     * Whether no transaction failed and the ledger, if there is one, equals what was acknowledged.
     *
     * @return false also when the run was ended early or did nothing
     */
    public boolean flawless() {
        return failures == 0 && !interrupted && transactions > 0 && (ledger == null || ledger.exact());
    }
}
