// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Objects;

/**
 * Where the peer ends a batch that is pulled from it: at the first limit that is reached. Immutable; any thread.
 *
 * @param packets the most packets; 0 for no limit
 * @param bytes the most bytes of content; 0 for no limit
 * @param duration the longest time that the peer adds packets; zero for no limit. With no limit at all the peer takes 5 s
 */
public record BatchLimits(int packets, long bytes, Duration duration) {
    /** The peer's own limits. */
    public static final BatchLimits NONE = new BatchLimits(0, 0, Duration.ZERO);

    /** Checks the limits. */
    public BatchLimits {
        Objects.requireNonNull(duration, "duration");
        if (packets < 0 || bytes < 0 || duration.isNegative()) {
            throw new IllegalArgumentException("Batch limits must be 0 or more, but are " + packets + " packets, "
                    + bytes + " bytes, " + duration);
        }
    }

    /** @return limits of at most this many packets */
    public static BatchLimits ofPackets(final int packets) {
        return new BatchLimits(packets, 0, Duration.ZERO);
    }
}
