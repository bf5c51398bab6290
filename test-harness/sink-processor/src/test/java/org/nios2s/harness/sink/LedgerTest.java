// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.nifi.flowfile.FlowFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The ledger's files.
 * On the test's thread.
 */
class LedgerTest {

    @TempDir
    private Path directory;

    @Test
    void aNewLedgerIsEmpty() throws IOException {
        Ledger.open(directory, null).close();

        assertEquals("{\"count\":0,\"bytes\":0,\"withoutId\":0}", written());
    }

    @Test
    void whatIsEnteredIsCountedOnceTheLedgerIsWritten() throws IOException {
        try (Ledger ledger = Ledger.open(directory, null)) {
            ledger.enter(List.of(packet(10, "a"), packet(20, "b"), new DroppedFlowFile(5, Map.of())));
            ledger.writeIfChanged();

            assertEquals("{\"count\":3,\"bytes\":35,\"withoutId\":1}", written());
        }
    }

    @Test
    void aLedgerThatDidNotChangeIsNotWrittenAgain() throws IOException {
        try (Ledger ledger = Ledger.open(directory, null)) {
            Files.delete(directory.resolve(Ledger.FILE_NAME));
            ledger.writeIfChanged();

            assertFalse(Files.exists(directory.resolve(Ledger.FILE_NAME)));
        }
    }

    @Test
    void aLedgerOpenedAgainGoesOn() throws IOException {
        try (Ledger first = Ledger.open(directory, "ids")) {
            first.enter(List.of(packet(10, "a")));
        }
        try (Ledger second = Ledger.open(directory, "ids")) {
            second.enter(List.of(packet(10, "b")));
        }

        assertEquals("{\"count\":2,\"bytes\":20,\"withoutId\":0}", written());
        assertEquals(List.of("a", "b"), Files.readAllLines(directory.resolve("ids")));
    }

    @Test
    void everyIdIsInItsFileBeforeItIsCounted() throws IOException {
        try (Ledger ledger = Ledger.open(directory, "ids")) {
            ledger.enter(List.of(packet(1, "a"), packet(1, "b")));
            ledger.writeIfChanged();

            assertEquals(List.of("a", "b"), Files.readAllLines(directory.resolve("ids")));
        }
    }

    @Test
    void somethingElseUnderTheLedgersNameIsNotOverwritten() throws IOException {
        Files.writeString(directory.resolve(Ledger.FILE_NAME), "not a ledger");

        final IOException refusal = assertThrows(IOException.class, () -> Ledger.open(directory, null));

        assertTrue(refusal.getMessage().contains("is not a ledger"), refusal.getMessage());
        assertEquals("not a ledger", written());
    }

    private String written() throws IOException {
        return Files.readString(directory.resolve(Ledger.FILE_NAME)).strip();
    }

    private static FlowFile packet(final long size, final String id) {
        return new DroppedFlowFile(size, Map.of(Ledger.PACKET_ID_ATTRIBUTE, id));
    }
}
