// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.nifi;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.nios2s.harness.HarnessException;

/**
 * What this project's build left in the target directories of the harness's modules.
 * Stateless, any thread.
 */
final class BuildOutput {

    private BuildOutput() {}

    /** The directory of the harness's modules. */
    static Path modules() {
        try {
            final Path classes = Path.of(BuildOutput.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            final Path module = classes.toAbsolutePath().getParent().getParent();
            return module.getParent();
        } catch (final URISyntaxException e) {
            throw new HarnessException("Cannot tell where the harness's own classes are", e);
        }
    }

    /** A NAR that the harness puts into a NiFi. */
    static Path nar(final String name) {
        return existing(modules().resolve("harness/target/nifi-extensions").resolve(name));
    }

    /** A file or directory of the build. */
    static Path existing(final Path file) {
        if (!Files.exists(file)) {
            throw new HarnessException(
                    file
                            + " is missing: build it with 'mvn -pl test-harness/harness -am package' or run test-harness/bin/s2s-harness");
        }
        return file;
    }
}
