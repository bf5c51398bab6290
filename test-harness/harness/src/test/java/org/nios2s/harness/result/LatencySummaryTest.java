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

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Microseconds go in, milliseconds come out. Runs on the test's thread. */
class LatencySummaryTest {

    private static final double ONE_PERCENT = 0.01;

    @Test
    void figuresAreInMilliseconds() {
        final Histogram micros = new Histogram(3);
        for (int i = 1; i <= 1_000; i++) {
            micros.recordValue(i * 1_000L);
        }

        final LatencySummary summary = LatencySummary.of(micros);

        assertEquals(1_000, summary.count());
        assertEquals(500.5, summary.average(), 500.5 * ONE_PERCENT);
        assertEquals(500, summary.p50(), 500 * ONE_PERCENT);
        assertEquals(990, summary.p99(), 990 * ONE_PERCENT);
        assertEquals(1_000, summary.max(), 1_000 * ONE_PERCENT);
    }

    @Test
    void anEmptyHistogramGivesZeros() {
        assertEquals(new LatencySummary(0, 0, 0, 0, 0), LatencySummary.of(new Histogram(3)));
    }
}
