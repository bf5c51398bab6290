// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.nios2s.listener.settings.ListenerSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limits of NiFi's process on this machine, to be compared with the settings. Immutable; any thread.
 *
 * @param heap bytes
 * @param directMemory bytes
 * @param descriptors files and sockets that may be open; {@link #UNKNOWN} where Java does not tell
 */
record ProcessLimits(long heap, long directMemory, long descriptors) {
    private static final Logger logger = LoggerFactory.getLogger(NioRemoteSiteListener.class);

    /** Open files for each connection: one for the connection, the other one left to NiFi. */
    private static final int DESCRIPTORS_PER_CONNECTION = 2;

    /** Heap for each connection. */
    private static final int HEAP_BYTES_PER_CONNECTION = 32 * 1024;

    private static final long UNKNOWN = Long.MAX_VALUE;

    private static final long MIB = 1024L * 1024;

    /** Java's module {@code jdk.management}, which a runtime image may lack, tells more than the heap. */
    static ProcessLimits ofThisProcess() {
        final long heap = Runtime.getRuntime().maxMemory();
        try {
            return new ProcessLimits(heap, maxDirectMemory(heap), maxDescriptors());
        } catch (final LinkageError | RuntimeException e) {
            logger.info(
                    "The limits of open files and direct memory are not known, since this Java does not report them ({}):"
                            + " connections.max=0 follows the heap alone",
                    e.toString());
            return new ProcessLimits(heap, UNKNOWN, UNKNOWN);
        }
    }

    private static long maxDirectMemory(final long heap) {
        final String limit = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("MaxDirectMemorySize")
                .getValue();
        // Where nothing is set, Java takes as much as for the heap.
        if (limit.equals("0")) {
            return heap;
        }
        return Long.parseLong(limit);
    }

    private static long maxDescriptors() {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            return system.getMaxFileDescriptorCount();
        }
        return UNKNOWN;
    }

    /** @return the configured maximum, or as many as there are descriptors and heap for */
    int maxConnections(final ListenerSettings settings) {
        if (settings.connections().max() > 0) {
            return settings.connections().max();
        }
        return Math.clamp(
                Math.min(heap / HEAP_BYTES_PER_CONNECTION, descriptors / DESCRIPTORS_PER_CONNECTION),
                1,
                Integer.MAX_VALUE);
    }

    /** @return what the settings promise and the process can't keep, with the number to set */
    List<String> shortages(final ListenerSettings settings) {
        final List<String> shortages = new ArrayList<>();
        final long buffer = settings.memory().buffer();
        final int connections = settings.connections().max();
        if (directMemory < buffer) {
            shortages.add(
                    ("direct memory is limited to %d MB, and buffer.memory may take %d MB of it. Set -XX:MaxDirectMemorySize=%2$dm or"
                                    + " more in bootstrap.conf, or nifi.remote.input.nio.buffer.memory=%1$d MB")
                            .formatted(directMemory / MIB, inMib(buffer)));
        }
        if (descriptors / DESCRIPTORS_PER_CONNECTION < connections) {
            shortages.add(
                    "%d files may be open, and connections.max=%d needs twice as many as connections. Set ulimit -n %d or more, or nifi.remote.input.nio.connections.max=%d"
                            .formatted(
                                    descriptors,
                                    connections,
                                    (long) connections * DESCRIPTORS_PER_CONNECTION,
                                    descriptors / DESCRIPTORS_PER_CONNECTION));
        }
        final long promised = buffer + (long) connections * HEAP_BYTES_PER_CONNECTION;
        if (heap < promised) {
            shortages.add(
                    "the heap is limited to %d MB, and buffer.memory and connections.max may take %d MB of it. Set -Xmx%2$dm or more in bootstrap.conf, or lower these settings"
                            .formatted(heap / MIB, inMib(promised)));
        }
        return shortages;
    }

    private static long inMib(final long bytes) {
        return Math.ceilDiv(bytes, MIB);
    }
}
