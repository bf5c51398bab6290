// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nios2s.harness.HarnessException;

/**
 * Which directories are an installation of NiFi, and what a home gets from one.
 * On the test's thread.
 */
class NifiInstallationTest {

    private static final String FRAMEWORK = "nifi-framework-nar-2.9.0.nar";

    @TempDir
    private Path directory;

    private Path lib;
    private NifiHome home;

    @BeforeEach
    void makeAnInstallation() throws IOException {
        lib = Files.createDirectories(directory.resolve("nifi/lib"));
        Files.writeString(lib.resolve(FRAMEWORK), "framework");
        home = new NifiHome(directory.resolve("home"));
        home.prepare(false);
    }

    @Test
    void itsVersionIsThatOfItsFramework() {
        assertEquals("2.9.0", installation().version());
    }

    @Test
    void aHomeGetsItsFilesAndItsExtensionsAndNoDirectory() throws IOException {
        Files.createDirectories(lib.resolve("bootstrap"));
        Files.writeString(
                Files.createDirectories(directory.resolve("nifi/extensions")).resolve("more.nar"), "more");

        installation().link(home);

        assertEquals(Set.of(FRAMEWORK), names(home.lib()));
        assertEquals("framework", Files.readString(home.lib().resolve(FRAMEWORK)));
        assertEquals(Set.of("more.nar"), names(home.extensions()));
    }

    @Test
    void whatTheHomeGotFromAnotherOneIsGoneAndThatOneIsAsItWas() throws IOException {
        final Path other = Files.createDirectories(directory.resolve("other/lib"));
        Files.writeString(other.resolve("nifi-framework-nar-2.3.0.nar"), "other");
        NifiInstallation.at(directory.resolve("other")).link(home);

        installation().link(home);

        assertEquals(Set.of(FRAMEWORK), names(home.lib()));
        assertEquals("other", Files.readString(other.resolve("nifi-framework-nar-2.3.0.nar")));
    }

    @Test
    void aNarOfOursThatItHasAlreadyIsLeftOut() throws IOException {
        Files.writeString(lib.resolve("nifi-nio-s2s-nar-0.1.0.nar"), "ours");

        installation().link(home);

        assertEquals(Set.of(FRAMEWORK), names(home.lib()));
        assertTrue(Files.exists(lib.resolve("nifi-nio-s2s-nar-0.1.0.nar")));
    }

    @Test
    void aDirectoryThatIsMissingOrHoldsNoNifiOrAnOldOneIsRefused() throws IOException {
        assertRefused("missing", "there is no such directory");
        Files.createDirectories(directory.resolve("empty"));
        assertRefused("empty", "it has no lib/nifi-framework-nar-VERSION.nar");
        assertRefused("nifi/lib", "name the directory that has lib, conf and extensions in it");
        Files.createFile(
                Files.createDirectories(directory.resolve("old/lib")).resolve("nifi-framework-nar-1.28.1.nar"));
        assertRefused("old", "is NiFi 1.28.1: the harness starts NiFi 2.x");
    }

    @Test
    void aVersionThatIsNoneIsRefusedBeforeMavenIsAsked() {
        for (final String version : new String[] {"latest", "1.28.1", "2.3", "2.3.0/../..", ""}) {
            final HarnessException refusal =
                    assertThrows(HarnessException.class, () -> NifiInstallation.ofVersion(version));
            assertEquals(
                    "'%s' is not a version of NiFi 2: write it like 2.3.0".formatted(version), refusal.getMessage());
        }
    }

    @Test
    void whatMavenDidNotFindIsNamedInItsWords() {
        assertEquals(
                "Could not find artifact org.apache.nifi:nifi-framework-nar:nar:2.99.0 in central",
                MavenNifi.reason("[ERROR] Failed to execute goal on project nifi: Could not resolve dependencies: "
                        + "Could not find artifact org.apache.nifi:nifi-framework-nar:nar:2.99.0 in central -> [Help 1]\n"
                        + "[ERROR] more\n"));
        assertEquals("[ERROR] other", MavenNifi.reason("[ERROR] other\nmore\n"));
    }

    private NifiInstallation installation() {
        return NifiInstallation.at(directory.resolve("nifi"));
    }

    private void assertRefused(final String name, final String why) {
        final HarnessException refusal =
                assertThrows(HarnessException.class, () -> NifiInstallation.at(directory.resolve(name)));
        assertTrue(refusal.getMessage().startsWith(directory.resolve(name).toString()), refusal::getMessage);
        assertTrue(refusal.getMessage().contains(why), refusal::getMessage);
    }

    private static Set<String> names(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
    }
}
