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
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nios2s.harness.HarnessException;

/** What lives in a heap, asked of this very JVM. Runs on the test's thread. */
@Timeout(60)
class LiveHeapTest {

    private static final int KEPT_BYTES = 32 * 1024 * 1024;

    @Test
    void whatIsKeptIsCounted() {
        final long before = LiveHeap.bytes(ProcessHandle.current());
        final byte[] kept = new byte[KEPT_BYTES];

        final long after = LiveHeap.bytes(ProcessHandle.current());

        assertTrue(after - before > KEPT_BYTES / 2, before + " bytes, then " + after);
        assertEquals(KEPT_BYTES, kept.length);
    }

    @Test
    void aHistogramEndsWithItsSum() {
        assertEquals(98_765_432, LiveHeap.bytesOf("Total       1234567       98765432"));
        assertThrows(HarnessException.class, () -> LiveHeap.bytesOf("Permission denied"));
    }
}
