// SPDX-License-Identifier: Apache-2.0
package org.nios2s.listener.doubt;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

/**
 * Computes fingerprints of packets, one after another. Not thread-safe: one thread at a time.
 *
 * <p>Attributes count in the order of their names: a sender that has started again may send the same ones in another order.
 */
public final class PacketHash {
    private static final String UUID = "uuid";

    /** A UUID has 36 characters. What peers may have remembered is bounded. */
    private static final int MAX_UUID_LENGTH = 64;

    /** NiFi replaces these in every FlowFile that is received. What the sender put there is not part of it. */
    private static final Set<String> REPLACED = Set.of("s2s.host", "s2s.address");

    private final MessageDigest digest = newDigest();
    private final ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
    private String uuid;

    private static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256", e);
        }
    }

    /** A packet begins: the one before, complete or not, is forgotten. */
    public void begin(final Map<String, String> attributes, final long contentLength) {
        digest.reset();
        uuid = uuidOf(attributes);
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
        add(contentLength);
    }

    private void add(final String text) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        // With its length, so that no text could pass for a part of its neighbour.
        add(bytes.length);
        digest.update(bytes);
    }

    private void add(final long value) {
        digest.update(number.putLong(0, value).array());
    }

    /** A part of the content has come. */
    public void update(final byte[] bytes, final int length) {
        if (uuid != null) {
            digest.update(bytes, 0, length);
        }
    }

    /** @return of the packet, now complete, or null if its sender gave it no identifier */
    public Fingerprint end() {
        if (uuid == null) {
            return null;
        }
        final ByteBuffer hash = ByteBuffer.wrap(digest.digest());
        return new Fingerprint(uuid, hash.getLong(), hash.getLong(), hash.getLong(), hash.getLong());
    }

    /** @return of a packet whose content is in memory, or null if its sender gave it no identifier */
    public Fingerprint of(
            final Map<String, String> attributes, final ByteBuf contents, final int offset, final int length) {
        begin(attributes, length);
        if (uuid != null && length > 0) {
            for (final ByteBuffer part : contents.nioBuffers(offset, length)) {
                digest.update(part);
            }
        }
        return end();
    }

    /** @return the identifier that a sender gave to a packet, or null if it gave none, or one of no use */
    public static String uuidOf(final Map<String, String> attributes) {
        final String uuid = attributes.get(UUID);
        if (uuid == null || uuid.length() > MAX_UUID_LENGTH) {
            return null;
        }
        return uuid;
    }
}
