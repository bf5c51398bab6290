// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.HarnessException;
import org.nios2s.harness.nifi.NifiNodeInfo.NodeFiles;

/**
 * What a home remembers of its NiFi. The test's own process stands in for NiFi's.
 * On the test's thread.
 */
class NifiNodeInfoTest {

    private static final Duration LONG_AGO = Duration.ofHours(1);

    @TempDir
    private Path directory;

    @Test
    void aRecordIsReadAsItWasWritten() {
        final NifiNodeInfo record = record(directory.toString(), started());

        record.write();

        assertEquals(Optional.of(record), NifiNodeInfo.read(directory));
    }

    @Test
    void portsAreAddedAndNothingElseChanges() {
        final NifiNodeInfo record = record(directory.toString(), started());

        assertEquals(record, record.withPorts(Map.of("other", "2")).withPorts(record.ports()));
        assertEquals(
                Map.of("other", "2"), record.withPorts(Map.of("other", "2")).ports());
    }

    @Test
    void aHomeWithoutARecordHasNone() {
        assertEquals(Optional.empty(), NifiNodeInfo.read(directory));
    }

    @Test
    void aRecordOfAnotherFormIsRefused() throws IOException {
        Files.writeString(directory.resolve("instance.json"), "{\"pid\": 1, \"home\": \"%s\"}".formatted(directory));

        final String message = assertThrows(HarnessException.class, () -> NifiNodeInfo.read(directory))
                .getMessage();

        assertTrue(message.contains("another version of the harness"), message);
    }

    @Test
    void theRecordedProcessIsFoundWhileItRuns() {
        assertTrue(record("", started()).process().isPresent());
    }

    @Test
    void anotherProcessUnderTheSameIdIsNotTakenForNifi() {
        assertFalse(record("", started().minus(LONG_AGO)).process().isPresent());
        assertFalse(
                record("/no/such/home/on/the/command/line", started()).process().isPresent());
    }

    private static Instant started() {
        return ProcessHandle.current().info().startInstant().orElseThrow();
    }

    private static NifiNodeInfo record(final String home, final Instant startedAt) {
        return new NifiNodeInfo(
                ProcessHandle.current().pid(),
                startedAt.toString(),
                "http://127.0.0.1:8080/nifi-api",
                "127.0.0.1",
                10443,
                "stock",
                "2.3.0",
                new NodeFiles(home, "logs", "ledger"),
                Map.of("input", "1"),
                null);
    }
}
