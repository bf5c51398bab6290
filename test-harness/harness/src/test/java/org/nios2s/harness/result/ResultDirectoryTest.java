// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.result.RunResult.Place;

/** What a command leaves behind can be read again. Runs on the test's thread. */
class ResultDirectoryTest {

    @TempDir
    private Path parent;

    @Test
    void aResultIsReadAsItWasWritten() throws IOException {
        final ExperimentResult result = Samples.comparison();
        final ResultDirectory directory = ResultDirectory.create(parent, "compare");

        directory.finish(result);

        assertEquals(result, ResultDirectory.read(directory.path()));
    }

    @Test
    void aRunAtAnotherPlaceIsTheSameRun() {
        final RunResult run = Samples.run("nio", 1, 1_000);
        final Place other = new Place("row", "A nio", 2, 1);

        final RunResult moved = run.at(other);

        assertEquals(other, moved.place());
        assertEquals(run, moved.at(run.place()));
    }

    @Test
    void aRunOfAnOlderHarnessHadNoWan() {
        final RunResult run = Samples.run("nio", 1, 1_000);
        final ObjectNode older = ResultDirectory.JSON.valueToTree(run);
        older.withObject("/settings/connection").remove("wan");

        assertEquals(run, ResultDirectory.JSON.convertValue(older, RunResult.class));
    }

    @Test
    void aResultOfAnotherFormIsRefused() throws IOException {
        final ResultDirectory directory = ResultDirectory.create(parent, "compare");
        directory.write("result.json", "{\"experiment\": \"compare\", \"runs\": []}");

        assertThrows(IOException.class, () -> ResultDirectory.read(directory.path()));
    }

    @Test
    void twoCommandsOfTheSameSecondHaveDirectoriesOfTheirOwn() throws IOException {
        final ResultDirectory first = ResultDirectory.create(parent, "compare");
        final ResultDirectory second = ResultDirectory.create(parent, "compare");

        assertEquals(parent, first.path().getParent());
        assertEquals(false, first.path().equals(second.path()));
    }
}
