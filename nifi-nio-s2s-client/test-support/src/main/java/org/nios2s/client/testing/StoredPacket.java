// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client.testing;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * A packet that lies in a NiFi in memory. Immutable, if nobody writes into its content; any thread.
 *
 * @param attributes names and values
 * @param content all of its bytes
 */
public record StoredPacket(Map<String, String> attributes, byte[] content) {
    /** Copies the attributes. */
    public StoredPacket {
        attributes = Map.copyOf(attributes);
    }

    /**
     * Makes one of a text, without attributes.
     *
     * @param text becomes the content, in UTF-8
     * @return the packet
     */
    public static StoredPacket of(final String text) {
        return new StoredPacket(Map.of(), text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads the content as text.
     *
     * @return the content, from UTF-8
     */
    public String text() {
        return new String(content, StandardCharsets.UTF_8);
    }
}
