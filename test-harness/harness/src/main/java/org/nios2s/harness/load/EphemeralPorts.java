// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Checks that this machine has as many ports for outgoing connections to one address as a run needs. Stateless.
 */
public final class EphemeralPorts {

    private static final Path RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    /** What other programs, and connections that were closed a moment ago, hold. */
    private static final int RESERVE = 100;

    private EphemeralPorts() {}

    /** Checks the range of this machine. */
    public static void check(final int connections) {
        if (Files.isReadable(RANGE)) {
            try {
                // Not readString: the kernel gives such a file to a single read only, and that one begins with a byte.
                check(connections, Files.readAllLines(RANGE).getFirst());
            } catch (final IOException e) {
                throw new IllegalArgumentException("cannot read the range of ports from " + RANGE + ": " + e, e);
            }
        }
    }

    static void check(final int connections, final String range) {
        final String[] ends = range.strip().split("\\s+");
        final int first = Integer.parseInt(ends[0]);
        final int last = Integer.parseInt(ends[1]);
        final int available = last - first + 1 - RESERVE;
        if (connections > available) {
            throw new IllegalArgumentException(
                    "%d clients need as many ephemeral ports, this machine has about %d (%d to %d): widen the range with"
                                    .formatted(connections, available, first, last)
                            + " 'sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"', or use fewer --clients");
        }
    }
}
