// SPDX-License-Identifier: Apache-2.0
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
