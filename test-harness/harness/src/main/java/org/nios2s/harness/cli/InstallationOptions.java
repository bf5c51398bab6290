// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.cli;

import java.nio.file.Path;
import org.nios2s.harness.nifi.NifiInstallation;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/**
 * The options that say which NiFi is started.
 * For one thread.
 */
final class InstallationOptions {

    @ArgGroup
    private Which which = new Which();

    /** One of them, or neither. For one thread. */
    private static final class Which {

        @Option(
                names = "--nifi-home",
                paramLabel = "DIR",
                description = "The NiFi 2 to start, as it was downloaded and unpacked; nothing in it is changed."
                        + " Default: the one that this build put together.")
        private Path home;

        @Option(
                names = "--nifi-version",
                paramLabel = "V",
                description = "The release of NiFi 2 to start, put together by Maven when it is first asked for.")
        private String version;
    }

    /** The NiFi to start. */
    NifiInstallation installation() {
        if (which.home != null) {
            return NifiInstallation.at(which.home);
        }
        return which.version == null ? NifiInstallation.usual() : NifiInstallation.ofVersion(which.version);
    }
}
