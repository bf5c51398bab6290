// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.analysis;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.nios2s.harness.result.Range;
import org.nios2s.harness.result.RunResult;

/** The CPU time of servers while nothing happens, by all pauses of a target, and what runs cost above it. Stateless; any thread. */
public final class Idle {

    /** One pause is an accident: in a second of it something else may be compiled or collected. */
    private static final int MIN_PAUSES = 3;

    private Idle() {}

    /** The runs with what they cost above the idle cost of their target, where enough pauses tell it. */
    public static List<RunResult> above(final List<RunResult> runs) {
        final Map<String, List<RunResult>> byTarget =
                runs.stream().collect(Collectors.groupingBy(run -> run.place().column()));
        return runs.stream()
                .map(run -> run.server() == null
                        ? run
                        : run.with(run.server()
                                .above(
                                        percent(byTarget.get(run.place().column())),
                                        run.load().transactions())))
                .toList();
    }

    private static Double percent(final List<RunResult> runs) {
        final List<Double> pauses = runs.stream()
                .filter(run -> run.server() != null)
                .map(run -> run.server().idlePercent())
                .filter(Objects::nonNull)
                .toList();
        return Optional.of(pauses)
                .filter(some -> some.size() >= MIN_PAUSES)
                .map(some -> Range.of(some).median())
                .orElse(null);
    }
}
