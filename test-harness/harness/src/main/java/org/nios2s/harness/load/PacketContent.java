// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

/**
 * Makes what a packet holds. Stateless, any thread.
 */
public final class PacketContent {

    private static final String PATTERN = "0123456789";

    private PacketContent() {}

    /**
     * Digits that repeat.
     *
     * @param size bytes
     * @return the content
     */
    public static byte[] ofSize(final int size) {
        final byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) PATTERN.charAt(i % PATTERN.length());
        }
        return bytes;
    }
}
