// SPDX-License-Identifier: Apache-2.0
package org.nios2s.harness.sink;

import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The observed part of a packet: so much of its content and attributes that another content, or another attribute, is
 * another parcel. Immutable; any thread.
 *
 * @param id         the packet's id, or null when it has lost that
 * @param flowFile   number made of the uuid of its FlowFile, which stays the same across a restart; 0 where there is none
 * @param bytes      size of the content
 * @param content    CRC-32C of the content
 * @param attributes the sum of the CRC-32Cs of the attributes that a sender of the harness sets
 */
public record Parcel(String id, long flowFile, long bytes, int content, int attributes) {

    private static final String SEPARATOR = " ";
    private static final int FIELDS = 5;
    private static final int CHECKSUM_DIGITS = 8;
    private static final int BUFFER_BYTES = 64 * 1024;

    /** Reads a content to its end. */
    public static Parcel read(final Map<String, String> attributes, final long flowFile, final InputStream content)
            throws IOException {
        final CRC32C checksum = new CRC32C();
        final byte[] buffer = new byte[BUFFER_BYTES];
        long bytes = 0;
        for (int read = content.read(buffer); read >= 0; read = content.read(buffer)) {
            checksum.update(buffer, 0, read);
            bytes += read;
        }
        return of(attributes, flowFile, bytes, checksum);
    }

    /** A parcel with content that is in memory, or is about to be sent. */
    public static Parcel of(final Map<String, String> attributes, final byte[] content) {
        final CRC32C checksum = new CRC32C();
        checksum.update(content);
        return of(attributes, 0, content.length, checksum);
    }

    /** A parcel whose content was summed up already. */
    public static Parcel of(
            final Map<String, String> attributes, final long flowFile, final long bytes, final CRC32C content) {
        return new Parcel(
                attributes.get(PacketPattern.ID),
                flowFile,
                bytes,
                (int) content.getValue(),
                PacketPattern.sumOfAttributes(attributes));
    }

    /** Reads a line back: the parcel, or null when the line was torn by the end of its writer. */
    public static Parcel parse(final String line) {
        final String[] fields = line.split(SEPARATOR, -1);
        if (fields.length != FIELDS || fields[FIELDS - 1].length() != CHECKSUM_DIGITS) {
            return null;
        }
        try {
            return new Parcel(
                    fields[0],
                    Long.parseLong(fields[1]),
                    Long.parseLong(fields[2]),
                    HexFormat.fromHexDigits(fields[3]),
                    HexFormat.fromHexDigits(fields[4]));
        } catch (final IllegalArgumentException e) {
            return null;
        }
    }

    /** The parcel as a line, without its end. */
    public String line() {
        final HexFormat hex = HexFormat.of();
        return String.join(
                SEPARATOR,
                id,
                Long.toString(flowFile),
                Long.toString(bytes),
                hex.toHexDigits(content),
                hex.toHexDigits(attributes));
    }

    /** In which way this one is not as it was sent, in words; null when it is. */
    public String difference(final Parcel sent) {
        if (bytes != sent.bytes) {
            return "%s has %,d bytes in place of %,d".formatted(id, bytes, sent.bytes);
        }
        if (content != sent.content) {
            return id + " has another content";
        }
        return attributes == sent.attributes ? null : id + " has other attributes";
    }
}
