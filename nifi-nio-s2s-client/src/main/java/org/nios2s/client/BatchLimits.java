// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.time.Duration;
import java.util.Objects;

/** Where the peer ends a batch that is pulled from it: at the first limit that is reached. Immutable; any thread. */
public final class BatchLimits {
    /** The peer's own limit: it adds packets for 5 s, as many as there are. */
    private static final BatchLimits NONE = new BatchLimits(0, 0, Duration.ZERO);

    private static final int STANDARD_PACKETS = 1_000;
    private static final BatchLimits STANDARD = NONE.withMaxPackets(STANDARD_PACKETS);

    private final int packets;
    private final long bytes;
    private final Duration duration;

    private BatchLimits(final int packets, final long bytes, final Duration duration) {
        Objects.requireNonNull(duration, "duration");
        if (packets < 0 || bytes < 0 || duration.isNegative()) {
            throw new IllegalArgumentException("Batch limits must be 0 or more, but are " + packets + " packets, "
                    + bytes + " bytes, " + duration);
        }
        this.packets = packets;
        this.bytes = bytes;
        this.duration = duration;
    }

    /** @return 1,000 packets, and the peer's own limit of 5 s */
    public static BatchLimits standard() {
        return STANDARD;
    }

    /** @return no limit of ours: the peer adds packets for 5 s, as many as there are */
    public static BatchLimits none() {
        return NONE;
    }

    /** @return the same with another limit of packets; 0 for none */
    public BatchLimits withMaxPackets(final int most) {
        return new BatchLimits(most, bytes, duration);
    }

    /** @return the same with another limit of bytes of content; 0 for none */
    public BatchLimits withMaxBytes(final long most) {
        return new BatchLimits(packets, most, duration);
    }

    /** @return the same with another longest time that the peer adds packets; zero for none */
    public BatchLimits withMaxDuration(final Duration longest) {
        return new BatchLimits(packets, bytes, longest);
    }

    int packets() {
        return packets;
    }

    long bytes() {
        return bytes;
    }

    Duration duration() {
        return duration;
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof final BatchLimits limits
                && packets == limits.packets
                && bytes == limits.bytes
                && duration.equals(limits.duration);
    }

    @Override
    public int hashCode() {
        return Integer.hashCode(packets) ^ Long.hashCode(bytes) ^ duration.hashCode();
    }

    @Override
    public String toString() {
        return packets + " packets, " + bytes + " bytes, " + duration + " (0 is no limit)";
    }
}
