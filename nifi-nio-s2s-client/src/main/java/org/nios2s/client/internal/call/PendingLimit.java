// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.internal.call;

import java.util.function.LongSupplier;
import org.nios2s.client.Packet;
import org.nios2s.wire.AttributeMemory;

/**
 * Counts what was given and is not over, and the memory that it takes, against a limit of each. Any thread.
 *
 * <p>One more is taken while neither limit is reached. So what is larger than the limit of memory is taken when nothing else is
 * there, and the limit is exceeded by one packet or one transaction at most.
 */
public final class PendingLimit {
    private final LongSupplier maxCount;
    private final long maxBytes;
    /** These are guarded by this object. */
    private int count;

    private long bytes;

    /** @param maxCount asked at each addition: it may change */
    public PendingLimit(final LongSupplier maxCount, final long maxBytes) {
        this.maxCount = maxCount;
        this.maxBytes = maxBytes;
    }

    /** @return the memory that a packet takes before and while it is sent */
    public static long heldBy(final Packet packet) {
        final long content = packet.bytes() == null ? 0 : packet.size();
        return AttributeMemory.of(packet.attributes()) + content;
    }

    public synchronized boolean isFull() {
        return count >= maxCount.getAsLong() || bytes >= maxBytes;
    }

    /**
     * @param heldBytes 0 for what somebody else counts: then only the limit of the number refuses it
     * @return whether there was room; only then is it counted
     */
    public synchronized boolean tryAdd(final long heldBytes) {
        if (count >= maxCount.getAsLong() || heldBytes > 0 && bytes >= maxBytes) {
            return false;
        }
        add(heldBytes);
        return true;
    }

    /** Counts what has found room already, under a lock of the caller's. */
    public synchronized void add(final long heldBytes) {
        count++;
        bytes += heldBytes;
    }

    public synchronized void remove(final long heldBytes) {
        remove(1, heldBytes);
    }

    /** @param heldBytes of all together */
    public synchronized void remove(final int over, final long heldBytes) {
        count -= over;
        bytes -= heldBytes;
    }

    public synchronized int count() {
        return count;
    }

    public synchronized long bytes() {
        return bytes;
    }
}
