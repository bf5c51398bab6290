// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import java.util.Map;

/** How much of the heap attributes take, about. Stateless; any thread. */
public final class AttributeMemory {
    /** Of a packet without any: the map and what else stands for the packet. */
    private static final int PACKET_BYTES = 200;

    /** Of one attribute beyond the characters of its name and value: map entry, two strings, two arrays. */
    private static final int ATTRIBUTE_BYTES = 160;

    private AttributeMemory() {}

    /** @return bytes of a packet's attributes and of what stands for the packet, estimated */
    public static long of(final Map<String, String> attributes) {
        long bytes = PACKET_BYTES;
        for (final Map.Entry<String, String> attribute : attributes.entrySet()) {
            bytes += of(attribute.getKey(), attribute.getValue());
        }
        return bytes;
    }

    /** @return bytes of one attribute, estimated: two for a character, as texts beyond Latin-1 take */
    static int of(final String name, final String value) {
        return ATTRIBUTE_BYTES + Character.BYTES * (name.length() + value.length());
    }
}
