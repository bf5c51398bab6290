// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.transaction;

import java.util.Map;

/** How much memory attributes take, about. Stateless; any thread. */
final class AttributeMemory {
    /** Of a packet without any: the map and what else stands for the packet. */
    private static final int PACKET_BYTES = 200;

    /** Of one attribute beyond the bytes of its name and value: map entry and two strings. */
    private static final int ATTRIBUTE_BYTES = 160;

    private AttributeMemory() {}

    /** @return bytes, estimated */
    static long of(final Map<String, String> attributes) {
        long bytes = PACKET_BYTES;
        for (final Map.Entry<String, String> attribute : attributes.entrySet()) {
            bytes += ATTRIBUTE_BYTES
                    + attribute.getKey().length()
                    + attribute.getValue().length();
        }
        return bytes;
    }
}
