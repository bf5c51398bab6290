// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.HarnessException;

/**
 * Which directories may become the home of a NiFi.
 * On the test's thread.
 */
class NifiHomeTest {

    @TempDir
    private Path directory;

    @Test
    void anEmptyDirectoryBecomesAHomeAndStaysOne() throws IOException {
        new NifiHome(directory).prepare(false);
        Files.writeString(directory.resolve("flow"), "kept");

        new NifiHome(directory).prepare(false);

        assertEquals("kept", Files.readString(directory.resolve("flow")));
        assertTrue(Files.isDirectory(directory.resolve("logs")));
    }

    @Test
    void aFreshStartDeletesWhatAnEarlierNifiLeft() throws IOException {
        new NifiHome(directory).prepare(false);
        Files.createDirectories(directory.resolve("content_repository/1"));
        Files.writeString(directory.resolve("content_repository/1/claim"), "old");

        new NifiHome(directory).prepare(true);

        assertFalse(Files.exists(directory.resolve("content_repository")));
        assertTrue(Files.isDirectory(directory.resolve("logs")));
    }

    @Test
    void aFreshStartDeletesNothingOfSomeoneElse() throws IOException {
        Files.writeString(directory.resolve("thesis.txt"), "precious");

        assertThrows(HarnessException.class, () -> new NifiHome(directory).prepare(true));

        assertEquals("precious", Files.readString(directory.resolve("thesis.txt")));
    }

    @Test
    void aDirectoryOfSomeoneElseIsRefused() throws IOException {
        Files.writeString(directory.resolve("thesis.txt"), "precious");

        final HarnessException refusal =
                assertThrows(HarnessException.class, () -> new NifiHome(directory).prepare(false));

        assertTrue(refusal.getMessage().contains("neither empty nor the home"), refusal.getMessage());
    }

    @Test
    void aHomeBelowAFileIsRefused() throws IOException {
        final Path file = Files.writeString(directory.resolve("thesis.txt"), "precious");

        final HarnessException refusal =
                assertThrows(HarnessException.class, () -> new NifiHome(file.resolve("home")).prepare(true));

        assertTrue(refusal.getMessage().contains(file + " is a file"), refusal.getMessage());
    }

    @Test
    void twoStartsInOneHomeAtOnceAreRefused() {
        final NifiHome home = new NifiHome(directory);
        home.prepare(false);

        home.exclusively(() -> {
            final HarnessException refusal =
                    assertThrows(HarnessException.class, () -> new NifiHome(directory).exclusively(() -> {}));
            assertTrue(refusal.getMessage().contains("being started"), refusal.getMessage());
        });
        home.exclusively(() -> {});
    }
}
