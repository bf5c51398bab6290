// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Checks that this process may open as many sockets as a run needs. Stateless.
 */
public final class OpenFileLimit {

    /** Sockets at a time per logical client: NiFi's client also opens one for the peers and one for the REST API. */
    private static final int FILES_PER_STOCK_CLIENT = 4;

    /** Jars, logs, and whatever else this process opens. */
    private static final int RESERVE = 200;

    private OpenFileLimit() {}

    /** Checks the limit of this process, which a NiFi started by it inherits. */
    public static void check(final int clients, final ClientKind kind) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof final UnixOperatingSystemMXBean unix) {
            check(clients, kind, unix.getMaxFileDescriptorCount(), unix.getOpenFileDescriptorCount());
        }
    }

    static void check(final int clients, final ClientKind kind, final long limit, final long open) {
        final long needed = open + RESERVE + (long) clients * (kind == ClientKind.STOCK ? FILES_PER_STOCK_CLIENT : 1);
        if (needed > limit) {
            throw new IllegalArgumentException(
                    "%d clients need about %d open files, this process may have %d: raise it with 'ulimit -n %d' in the"
                                    .formatted(clients, needed, limit, needed)
                            + " shell, or use fewer --clients");
        }
    }
}
