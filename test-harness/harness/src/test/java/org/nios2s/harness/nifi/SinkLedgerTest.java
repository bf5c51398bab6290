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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.HarnessException;

/**
 * The sink's ledger as the harness reads it.
 * On the test's thread.
 */
class SinkLedgerTest {

    @TempDir
    private Path directory;

    @Test
    void aLedgerThatWasNeverWrittenIsEmpty() {
        assertEquals(new SinkLedger(0, 0), SinkLedger.read(directory));
    }

    @Test
    void countAndBytesAreReadAndSubtracted() throws IOException {
        Files.writeString(directory.resolve("ledger.json"), "{\"count\":7,\"bytes\":70,\"withoutId\":0}\n");

        final SinkLedger ledger = SinkLedger.read(directory);

        assertEquals(new SinkLedger(7, 70), ledger);
        assertEquals(new SinkLedger(5, 60), ledger.since(new SinkLedger(2, 10)));
    }

    @Test
    void somethingElseIsRefused() throws IOException {
        Files.writeString(directory.resolve("ledger.json"), "count=7");

        assertThrows(HarnessException.class, () -> SinkLedger.read(directory));
    }
}
