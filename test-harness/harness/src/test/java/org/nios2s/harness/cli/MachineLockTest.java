// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.HarnessException;

/** The lock by which measurements take turns. Runs on the test's thread. */
class MachineLockTest {

    @TempDir
    private Path directory;

    @Test
    void aLinkIsNotFollowedAndWhatItNamesIsKept() throws Exception {
        final Path precious = Files.writeString(directory.resolve("precious"), "of somebody else");
        final Path link = Files.createSymbolicLink(directory.resolve("lock"), precious);
        System.setProperty("s2s.harness.lock", link.toString());

        assertThrows(HarnessException.class, () -> MachineLock.take(false));

        assertEquals("of somebody else", Files.readString(precious));
    }
}
