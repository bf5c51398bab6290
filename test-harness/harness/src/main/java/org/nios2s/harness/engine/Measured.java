// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.engine;

import org.nios2s.harness.load.LoadOutcome;
import org.nios2s.harness.result.LatencyLog;
import org.nios2s.harness.result.RunResult;

/**
 * A run and what was seen of it. Immutable but for its log of times, which is complete; any thread.
 *
 * @param result    every metric
 * @param outcome   what each client did
 * @param latencies its times, second by second
 */
public record Measured(RunResult result, LoadOutcome outcome, LatencyLog latencies) {}
