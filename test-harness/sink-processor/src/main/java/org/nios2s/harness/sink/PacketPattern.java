// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The contents of the harness's packets. Content and attributes follow from a packet's id, so that no packet has those of
 * another and nobody has to remember them. Any thread.
 *
 * <p>A content is of digits, which can be compressed as most texts can, with eight bytes of its own in each KiB.
 */
public final class PacketPattern {

    /** The attribute by which a sender tells its packets apart. */
    public static final String ID = "packet.id";

    /** The beginning of the names of all other attributes of a sender. */
    static final String ATTRIBUTE = "attribute.";

    private static final int BLOCK_BYTES = 1024;
    private static final int STAMP_BYTES = Long.BYTES;
    private static final byte[] DIGITS = "0123456789".repeat(6_400).getBytes(US_ASCII);
    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;
    private static final int HEX_DIGITS = 16;

    private PacketPattern() {}

    /** The content of a packet. */
    public static byte[] content(final String id, final int size) {
        final byte[] content = new byte[size];
        for (int from = 0; from < size; from += DIGITS.length) {
            System.arraycopy(DIGITS, 0, content, from, Math.min(DIGITS.length, size - from));
        }
        final long seed = seed(id);
        for (int from = 0; from < size; from += BLOCK_BYTES) {
            long stamp = mixed(seed + from);
            final int end = Math.min(size, from + STAMP_BYTES);
            for (int at = from; at < end; at++) {
                content[at] = (byte) stamp;
                stamp >>>= Byte.SIZE;
            }
        }
        return content;
    }

    /** The id as an attribute, and so many more whose values have so many characters. */
    public static Map<String, String> attributes(final String id, final int more, final int characters) {
        if (more == 0) {
            return Map.of(ID, id);
        }
        final String own = HexFormat.of().toHexDigits(mixed(seed(id) + 1));
        final String text = own.repeat(characters / HEX_DIGITS + 2);
        final Map<String, String> attributes = new HashMap<>();
        attributes.put(ID, id);
        for (int number = 1; number <= more; number++) {
            final int from = number % HEX_DIGITS;
            attributes.put(ATTRIBUTE + number, text.substring(from, from + characters));
        }
        return attributes;
    }

    /** A number that follows from a packet's id. */
    public static long seed(final String id) {
        long hash = FNV_OFFSET;
        for (int at = 0; at < id.length(); at++) {
            hash = (hash ^ id.charAt(at)) * FNV_PRIME;
        }
        return hash;
    }

    /** The sum of the CRCs of what a sender sets, in whatever order; what NiFi adds does not count. */
    static int sumOfAttributes(final Map<String, String> attributes) {
        int sum = 0;
        for (final Map.Entry<String, String> attribute : attributes.entrySet()) {
            final String name = attribute.getKey();
            if (name.equals(ID) || name.startsWith(ATTRIBUTE)) {
                final CRC32C checksum = new CRC32C();
                checksum.update(name.getBytes(UTF_8));
                checksum.update(0);
                checksum.update(attribute.getValue().getBytes(UTF_8));
                sum += (int) checksum.getValue();
            }
        }
        return sum;
    }

    private static long mixed(final long value) {
        long mixed = value * GOLDEN;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
