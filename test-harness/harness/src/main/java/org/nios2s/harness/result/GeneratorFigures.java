// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;

/** What a run cost the process that makes the load, and whether it kept up. Immutable, any thread. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GeneratorFigures(
        double cpuMillisPerTransaction, double cpuPercent, double busiestThreadPercent, Double lateP99Millis) {}
