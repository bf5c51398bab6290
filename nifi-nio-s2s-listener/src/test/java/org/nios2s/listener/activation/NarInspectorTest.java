// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.activation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several versions of the NAR in one NiFi. Lives on the test's thread. */
class NarInspectorTest {
    @TempDir
    private Path unpacked;

    /** Unpacks a NAR as NiFi does. */
    private Path nar(final String id, final String version) throws IOException {
        final Path nar = unpacked.resolve(id + "-" + version + ".nar-unpacked");
        Files.createDirectories(nar.resolve("NAR-INF/bundled-dependencies"));
        Files.createDirectories(nar.resolve("META-INF"));
        Files.write(
                nar.resolve("META-INF/MANIFEST.MF"),
                List.of("Manifest-Version: 1.0", "Nar-Id: " + id, "Nar-Version: " + version));
        return nar.resolve("NAR-INF/bundled-dependencies/listener.jar");
    }

    @Test
    @DisplayName("a NAR of the same name beside ours is another version")
    void another() throws IOException {
        final Path own = nar("ours", "2");
        nar("ours", "1");
        nar("somebody", "1");
        assertEquals(Optional.of("version 2 serves; remove 1"), NarInspector.otherVersions(own));
    }

    @Test
    @DisplayName("a manifest that can't be read is named")
    void brokenManifest() throws IOException {
        final Path own = nar("ours", "2");
        nar("broken", "1");
        final Path manifest = unpacked.resolve("broken-1.nar-unpacked/META-INF/MANIFEST.MF");
        Files.write(manifest, List.of("no header"));
        final String complaint = assertThrows(IOException.class, () -> NarInspector.otherVersions(own))
                .getMessage();
        assertTrue(complaint.startsWith(manifest + " can't be read: "), complaint);
    }

    @Test
    @DisplayName("alone, there is nothing to say")
    void alone() throws IOException {
        final Path own = nar("ours", "2");
        nar("somebody", "1");
        assertEquals(Optional.empty(), NarInspector.otherVersions(own));
    }

    @Test
    @DisplayName("outside of a NAR there is nothing to say")
    void noNar() throws IOException {
        assertEquals(Optional.empty(), NarInspector.otherVersions(unpacked.resolve("a/b/c/listener.jar")));
        assertEquals(Optional.empty(), NarInspector.otherVersions(Path.of("listener.jar")));
    }
}
