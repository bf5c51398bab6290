// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Objects;

/**
 * Where the peer ends a batch that is pulled from it: at the first limit that is reached; 0 is no limit. Immutable; any
 * thread.
 *
 * @param maxPackets of a batch; 0 for no limit
 * @param maxBytes of content; 0 for no limit
 * @param maxDuration the longest time that the peer adds packets; zero for no limit
 */
public record BatchLimits(int maxPackets, long maxBytes, Duration maxDuration) {
    private static final BatchLimits NONE = new BatchLimits(0, 0, Duration.ZERO);

    private static final int STANDARD_PACKETS = 1_000;
    private static final BatchLimits STANDARD = NONE.withMaxPackets(STANDARD_PACKETS);

    /** Checks the values. */
    public BatchLimits {
        Objects.requireNonNull(maxDuration, "maxDuration");
        if (maxPackets < 0 || maxBytes < 0 || maxDuration.isNegative()) {
            throw new IllegalArgumentException("Batch limits must be 0 or more, but are " + maxPackets + " packets, "
                    + maxBytes + " bytes, " + maxDuration);
        }
    }

    /**
     * The limits unless others are set.
     *
     * @return 1,000 packets, and the peer's own limit of 5 s
     */
    public static BatchLimits standard() {
        return STANDARD;
    }

    /**
     * Leaves it to the peer.
     *
     * @return no limit of ours: the peer adds packets for 5 s, as many as there are
     */
    public static BatchLimits none() {
        return NONE;
    }

    /**
     * Sets another limit of packets.
     *
     * @param max 0 for none
     * @return the same with this limit
     */
    public BatchLimits withMaxPackets(final int max) {
        return new BatchLimits(max, maxBytes, maxDuration);
    }

    /**
     * Sets another limit of bytes of content.
     *
     * @param max 0 for none
     * @return the same with this limit
     */
    public BatchLimits withMaxBytes(final long max) {
        return new BatchLimits(maxPackets, max, maxDuration);
    }

    /**
     * Sets another longest time that the peer adds packets.
     *
     * @param max zero for none
     * @return the same with this limit
     */
    public BatchLimits withMaxDuration(final Duration max) {
        return new BatchLimits(maxPackets, maxBytes, max);
    }
}
