// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.limits;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nios2s.listener.time.NanoClock;

/**
 * The memory for everything that peers make us hold. Thread-safe.
 *
 * <p><b>Reserve, then admit.</b> A transaction first reserves the {@link #SMALL_BYTES} that it needs to come to its end, and waits
 * while there is no room for them. From then on it never waits for reserved bytes. A push that waits for a permit to stream gives back
 * the ones that it does not use: with the permit, of which there are few, it may hold as many beyond the limit.
 *
 * <p><b>Beyond the reservation.</b> Before more is read, the holder asks whether its grant
 * {@link SharedResource.Grant#hasRoomToGrow has room to grow}. If not, a push streams what it has to disk and reads no more than it has
 * reserved. So what is held may exceed the limit by what the IO workers were reading as it was reached, and by nothing else.
 *
 * <p><b>Attributes.</b> Only the attributes of an unfinished packet can't be streamed. Where they take more than the reservation, and
 * there is no room, the push takes a permit for {@link #attributes}, whose memory lies beside the limit, until its packet is written.
 * So transactions never wait for each other's memory in a circle.
 */
public final class MemoryBudget {
    /** Bytes that every transaction reserves for its packets, and up to which nothing more is charged. */
    public static final int SMALL_BYTES = 16 * 1024;

    /** Names and values of one packet's attributes, in bytes on the wire. */
    public static final int MAX_ATTRIBUTE_BYTES = 16 * 1024 * 1024;

    /** What these take on the heap at most: two bytes for each of them, and what stands for 25,000 attributes. */
    private static final long LARGE_ATTRIBUTES_BYTES = 40L * 1024 * 1024;

    /** As long as NiFi's clients wait for an answer. */
    private static final long LARGE_ATTRIBUTES_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int PORT_DIVISOR = 2;
    private static final int OWN_DIVISOR = 64;

    private final SharedResource bytes;
    private final SharedResource.Part common;
    private final SharedResource largeAttributes;
    private final SharedResource.Part attributes;
    private long peak;

    public MemoryBudget(final long limit, final NanoClock clock) {
        this.bytes = new SharedResource("memory", limit, limit / OWN_DIVISOR, clock);
        this.common = bytes.commonPart();
        this.largeAttributes = new SharedResource(
                "the memory for large attributes", LARGE_ATTRIBUTES_BYTES, 0, clock, LARGE_ATTRIBUTES_NANOS);
        this.attributes = largeAttributes.commonPart();
    }

    /** @return all that is shared of it */
    public List<SharedResource> resources() {
        return List.of(bytes, largeAttributes);
    }

    /** @return the memory of one port */
    public SharedResource.Part newPart() {
        return bytes.part(bytes.max() / PORT_DIVISOR);
    }

    /** @return the memory of what belongs to no port */
    public SharedResource.Part common() {
        return common;
    }

    /** Asks for the permit for large attributes: one packet has it at a time. */
    public SharedResource.Grant requestAttributes(final Holder holder, final Runnable granted) {
        return attributes.request(holder, LARGE_ATTRIBUTES_BYTES, 0, granted);
    }

    /** @return bytes that are held or set aside */
    public long used() {
        return bytes.held() + attributes.held();
    }

    /** @return the maximum of bytes held at once since the last call, for a report once a minute */
    public synchronized long peakSinceLastCall() {
        final long recent = bytes.peakSinceLastCall();
        peak = Math.max(peak, recent);
        return recent;
    }

    /** @return the maximum of bytes held at once since the start */
    public synchronized long peak() {
        return Math.max(peak, bytes.peak());
    }

    /** @return bytes for everything but large attributes */
    public long limit() {
        return bytes.max();
    }

    /**
     * @param streams permits to stream
     * @return bytes that are held at most, but for what IO workers are reading
     */
    public long bound(final long streams) {
        return limit() + LARGE_ATTRIBUTES_BYTES + streams * SMALL_BYTES;
    }
}
