// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.nio.file.Path;

/**
 * Where the project lies, whose directory holds homes and results when nothing else is said.
 * Stateless, for any thread.
 */
final class ProjectDirectory {

    /** Set by {@code bin/s2s-harness}; without it, the working directory stands for the project. */
    private static final String PROPERTY = "s2s.harness.project";

    private ProjectDirectory() {}

    static Path resolve(final String name) {
        return Path.of(System.getProperty(PROPERTY, "")).resolve(name).toAbsolutePath();
    }
}
