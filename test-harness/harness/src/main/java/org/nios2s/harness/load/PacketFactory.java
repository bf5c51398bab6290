// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.load;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nios2s.harness.load.LoadSettings.Shape;

/**
 * Makes the packets of a run: digits that repeat as content, and attributes of which one is the packet's id. Immutable,
 * read by every client's thread.
 */
public record PacketFactory(String run, Shape shape, List<byte[]> contents, Map<String, String> fillers) {

    private static final String PATTERN = "0123456789";

    public PacketFactory(final String run, final Shape shape) {
        this(
                run,
                shape,
                shape.size().shares().stream()
                        .map(share -> digits(Math.toIntExact(share.bytes())))
                        .toList(),
                shape.fillers());
    }

    /** Content of a packet; the array is shared, nobody writes into it. */
    public byte[] content(final int client, final int transaction, final int packet) {
        return contents.get(shape.size().shareOf(client, transaction, packet));
    }

    public Map<String, String> attributes(final int client, final int transaction, final int packet) {
        final String id = new PacketId(run, client, transaction, packet).toString();
        if (fillers.isEmpty()) {
            return Map.of(PacketId.ATTRIBUTE, id);
        }
        final Map<String, String> attributes = new HashMap<>(fillers);
        attributes.put(PacketId.ATTRIBUTE, id);
        return attributes;
    }

    /** Content of all packets of a transaction. */
    public long bytes(final int client, final int transaction) {
        long bytes = 0;
        for (int packet = 0; packet < shape.packets(); packet++) {
            bytes += content(client, transaction, packet).length;
        }
        return bytes;
    }

    private static byte[] digits(final int size) {
        final byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) PATTERN.charAt(i % PATTERN.length());
        }
        return bytes;
    }
}
