// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nios2s.harness.result.Comparison;
import org.nios2s.harness.result.RunResult;
import org.nios2s.harness.result.RunResult.LedgerMetrics;

/**
 * Failures that take the place of every praise: packets that are lost, there twice, damaged or still on their way, and failures of a
 * side that is not just what others are compared with. Stateless; any thread.
 */
public final class Troubles {

    private Troubles() {}

    /** Says, column by column, what went wrong in some runs; empty when nothing did. */
    public static List<String> of(final List<RunResult> runs, final List<Comparison> comparisons) {
        final Set<String> compared =
                comparisons.stream().map(Comparison::column).collect(Collectors.toSet());
        final Set<String> baselines = comparisons.stream()
                .map(Comparison::against)
                .filter(column -> !compared.contains(column))
                .collect(Collectors.toSet());
        return runs.stream()
                .map(run -> run.place().column())
                .distinct()
                .flatMap(column -> of(column, baselines.contains(column), runs))
                .toList();
    }

    private static Stream<String> of(final String column, final boolean baseline, final List<RunResult> runs) {
        final List<RunResult> own =
                runs.stream().filter(run -> run.place().column().equals(column)).toList();
        final List<LedgerMetrics> ledgers =
                own.stream().map(RunResult::ledger).filter(Objects::nonNull).toList();
        final long acknowledged =
                ledgers.stream().mapToLong(LedgerMetrics::acknowledged).sum();
        final List<String> said = new ArrayList<>();
        add(
                said,
                acknowledged,
                "were lost",
                ledgers.stream().mapToLong(LedgerMetrics::lost).sum());
        add(
                said,
                acknowledged,
                "are there twice",
                ledgers.stream().mapToLong(LedgerMetrics::duplicated).sum());
        add(
                said,
                acknowledged,
                "are not as they were sent",
                ledgers.stream()
                        .map(LedgerMetrics::damaged)
                        .filter(Objects::nonNull)
                        .mapToLong(Long::longValue)
                        .sum());
        // An interrupted run does not wait for the count to end.
        final long open = own.stream()
                .filter(run -> run.ledger() != null && !run.ledger().settled())
                .filter(run -> !run.execution().interrupted())
                .count();
        if (open > 0) {
            said.add(Metric.words(
                    "FlowFiles were still queued or still arriving after %,d of %,d runs", open, own.size()));
        }
        final long failed = own.stream().mapToLong(run -> run.load().failures()).sum();
        if (failed > 0 && !baseline) {
            said.add(Metric.words("%,d transactions failed", failed));
        }
        return said.stream().map(words -> column + ": " + words);
    }

    private static void add(final List<String> said, final long acknowledged, final String what, final long count) {
        if (count != 0) {
            said.add(Metric.words("of %,d acknowledged packets %,d %s", acknowledged, count, what));
        }
    }
}
