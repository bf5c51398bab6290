// SPDX-License-Identifier: Apache-2.0
package org.nios2s.integration;

import java.nio.file.Path;
import org.nios2s.harness.nifi.Listener;
import org.nios2s.harness.nifi.NifiOptions;

/**
 * How a class of tests starts a NiFi, or each node of a cluster, that it shares with no other.
 * Stateless; for any thread.
 */
public final class OwnNifi {

    private OwnNifi() {}

    /** Our listener, nothing left over from an earlier run, and an end with the tests. */
    public static NifiOptions options(final Path home) {
        return new NifiOptions()
                .home(home)
                .listener(Listener.NIO)
                .heap("1g")
                .fresh(true)
                .stopOnExit(true);
    }
}
