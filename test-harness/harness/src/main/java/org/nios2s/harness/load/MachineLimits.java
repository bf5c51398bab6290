// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks that this machine lets a run have as many sockets to one address as it needs. Stateless. */
public final class MachineLimits {

    private static final Path PORT_RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    /** Ports of other programs, and of connections that were closed a moment ago. */
    private static final int PORT_RESERVE = 100;

    /** Sockets at a time per logical client: NiFi's client also opens one for the peers and one for the REST API. */
    private static final int FILES_PER_NIFI_CLIENT = 4;

    /** Jars, logs, and whatever else this process opens. */
    private static final int FILE_RESERVE = 200;

    private MachineLimits() {}

    /** Checks the open files of this process, which a NiFi started by it inherits, and the range of ephemeral ports. */
    public static void check(final int clients, final ClientKind kind) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof final UnixOperatingSystemMXBean unix) {
            checkFiles(
                    clients, filesPerClient(kind), unix.getMaxFileDescriptorCount(), unix.getOpenFileDescriptorCount());
        }
        if (Files.isReadable(PORT_RANGE)) {
            try {
                // Not readString: the kernel gives such a file to a single read only, and that one begins with a byte.
                checkPorts(clients, Files.readAllLines(PORT_RANGE).getFirst());
            } catch (final IOException e) {
                throw new IllegalArgumentException("cannot read the range of ports from " + PORT_RANGE + ": " + e, e);
            }
        }
    }

    static int filesPerClient(final ClientKind kind) {
        return kind == ClientKind.NIFI ? FILES_PER_NIFI_CLIENT : 1;
    }

    static void checkFiles(final int clients, final int perClient, final long limit, final long open) {
        final long needed = open + FILE_RESERVE + (long) clients * perClient;
        if (needed > limit) {
            throw new IllegalArgumentException(
                    "%d clients need about %d open files, this process may have %d: raise it with 'ulimit -n %d' in the"
                                    .formatted(clients, needed, limit, needed)
                            + " shell, or use fewer --clients");
        }
    }

    static void checkPorts(final int clients, final String range) {
        final String[] ends = range.strip().split("\\s+");
        final int first = Integer.parseInt(ends[0]);
        final int last = Integer.parseInt(ends[1]);
        final int available = last - first + 1 - PORT_RESERVE;
        if (clients > available) {
            throw new IllegalArgumentException(
                    "%d clients need as many ephemeral ports, this machine has about %d (%d to %d): widen the range with"
                                    .formatted(clients, available, first, last)
                            + " 'sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\"', or use fewer --clients");
        }
    }
}
