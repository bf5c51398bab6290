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

/**
 * What a run cost the server, from the start of the first client until the sink's ledger stood still: work that was put
 * off until the clients had ended counts. Immutable, any thread.
 *
 * @param cpuMillis               processor time in that span
 * @param cpuMillisPerTransaction the same divided by the acknowledged transactions, 0 when there are none
 * @param cpuPercent              the same in percent of one processor
 * @param maxResidentBytes        most memory in RAM
 * @param maxThreads              most threads
 */
public record ServerFigures(
        double cpuMillis, double cpuMillisPerTransaction, double cpuPercent, long maxResidentBytes, int maxThreads) {}
