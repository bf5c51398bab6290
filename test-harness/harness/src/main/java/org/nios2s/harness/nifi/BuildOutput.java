// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.io.File;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import org.nios2s.harness.HarnessException;

/**
 * The files that this project's build makes for the harness: in the target directories of its modules, or in the release's zip, where
 * those of them that the harness needs lie beside its jar. Stateless; any thread.
 */
public final class BuildOutput {

    private BuildOutput() {}

    static Path modules() {
        final Path shipped = home().resolve("test-harness");
        return Files.isDirectory(shipped) ? shipped : home().getParent().getParent();
    }

    /** A NAR that the harness puts into a NiFi. */
    static Path nar(final String name) {
        return existing(home().resolve("nifi-extensions").resolve(name));
    }

    /** The class path of a listener without NiFi. */
    public static String nullPort() {
        final Path target = modules().resolve("null-port").resolve("target");
        final Path jar = existing(target.resolve("null-port.jar"));
        return jar + File.pathSeparator + target.resolve("lib") + File.separator + "*";
    }

    /** A file or directory of the build. */
    static Path existing(final Path file) {
        if (!Files.exists(file)) {
            throw new HarnessException(
                    "%s is missing: build it with 'mvn -pl test-harness/harness -am package' or run test-harness/bin/s2s-harness"
                            .formatted(file));
        }
        return file;
    }

    /** The directory of the harness's jar: its module's target, or that of an unpacked zip. */
    private static Path home() {
        try {
            final URL classes =
                    BuildOutput.class.getProtectionDomain().getCodeSource().getLocation();
            return Path.of(classes.toURI()).toAbsolutePath().getParent();
        } catch (final URISyntaxException e) {
            throw new HarnessException("Cannot tell where the harness's own classes are", e);
        }
    }
}
