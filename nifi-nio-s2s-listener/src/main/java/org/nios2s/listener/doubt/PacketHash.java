// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Computes fingerprints of packets, one after another. Not thread-safe: one thread at a time.
 *
 * <p>Attributes count in the order of their names: a sender that has started again may send the same ones in another order.
 *
 * <p>The checksum is two of 32 bits, CRC-32 and CRC-32C, for both of which processors have instructions: every packet of every push
 * gets one.
 */
public final class PacketHash {
    private static final String UUID = "uuid";

    /** A UUID has 36 characters. What peers may have remembered is bounded. */
    static final int MAX_UUID_LENGTH = 64;

    /** NiFi replaces these in every FlowFile that is received. What the sender put there is not part of it. */
    private static final Set<String> REPLACED = Set.of("s2s.host", "s2s.address");

    private static final int GATHERED_BYTES = 4096;
    private static final int MAX_ASCII = 127;

    private final Checksum first = new CRC32();
    private final Checksum second = new CRC32C();
    /** Texts, so that many short ones cost one call. */
    private final ByteBuffer gathered = ByteBuffer.allocate(GATHERED_BYTES);

    private String uuid;
    private long length;

    /** A packet begins: the one before, complete or not, is forgotten. */
    public void begin(final Map<String, String> attributes, final long contentLength) {
        first.reset();
        second.reset();
        uuid = uuidOf(attributes);
        length = contentLength;
        if (uuid == null) {
            return;
        }
        final String[] names = attributes.keySet().toArray(String[]::new);
        Arrays.sort(names);
        for (final String name : names) {
            if (!REPLACED.contains(name)) {
                add(name);
                add(attributes.get(name));
            }
        }
        addGathered();
    }

    private void add(final String text) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (gathered.remaining() < Integer.BYTES + bytes.length) {
            addGathered();
        }
        // With its length, so that no text could pass for a part of its neighbour.
        gathered.putInt(bytes.length);
        if (gathered.remaining() < bytes.length) {
            addGathered();
            update(bytes, bytes.length);
        } else {
            gathered.put(bytes);
        }
    }

    private void addGathered() {
        first.update(gathered.array(), 0, gathered.position());
        second.update(gathered.array(), 0, gathered.position());
        gathered.clear();
    }

    /** A part of the content has come. */
    public void update(final byte[] bytes, final int count) {
        if (uuid != null) {
            first.update(bytes, 0, count);
            second.update(bytes, 0, count);
        }
    }

    /** @return of the packet, now complete, or null if its sender gave it no identifier */
    public Fingerprint end() {
        if (uuid == null) {
            return null;
        }
        return new Fingerprint(uuid, length, first.getValue() << Integer.SIZE | second.getValue());
    }

    /**
     * @param contents may be null if the length is 0
     * @return of a packet whose content is in memory, or null if its sender gave it no identifier
     */
    public Fingerprint of(
            final Map<String, String> attributes, final ByteBuf contents, final int offset, final int contentLength) {
        begin(attributes, contentLength);
        if (uuid != null && contentLength > 0) {
            for (final ByteBuffer part : contents.nioBuffers(offset, contentLength)) {
                first.update(part.duplicate());
                second.update(part);
            }
        }
        return end();
    }

    /** @return the identifier that a sender gave to a packet, or null if it gave none, or one of no use */
    private static String uuidOf(final Map<String, String> attributes) {
        final String uuid = attributes.get(UUID);
        if (uuid == null || uuid.length() > MAX_UUID_LENGTH || !isAscii(uuid)) {
            return null;
        }
        return uuid;
    }

    private static boolean isAscii(final String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == 0 || text.charAt(i) > MAX_ASCII) {
                return false;
            }
        }
        return true;
    }
}
