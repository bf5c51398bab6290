/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in
 * compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is
 * distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and limitations under the License.
 */
package org.nios2s.harness.result;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * What a run cost the process that makes the load, and whether it kept up. Immutable, any thread.
 *
 * @param cpuMillisPerTransaction processor time per acknowledged transaction, 0 when there are none
 * @param cpuPercent              processor time in percent of one processor
 * @param busiestThreadPercent    processor time of its busiest thread in an ordinary second (median), in percent of one
 *                                processor
 * @param lateP99Millis           how much later than due it began a transaction, 99 % at most; null when it is not known
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GeneratorFigures(
        double cpuMillisPerTransaction, double cpuPercent, double busiestThreadPercent, Double lateP99Millis) {}
