// SPDX-License-Identifier: Apache-2.0
package org.nios2s.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Strings as {@link java.io.DataOutput#writeUTF} has them: an unsigned 2-byte length, then modified UTF-8.
 * Stateless; any thread.
 */
public final class ModifiedUtf8 {
    /** The most bytes that one string takes on the wire, its length included. */
    public static final int MAX_ENCODED_BYTES = Short.BYTES + 65_535;

    private ModifiedUtf8() {}

    /**
     * Reads one string if all of it has arrived.
     *
     * @return the string, or null, with nothing consumed, if bytes are missing
     * @throws ProtocolException if the bytes are not modified UTF-8
     */
    public static String readIfComplete(final ByteBuf in) throws ProtocolException {
        return readIfComplete(in, MAX_ENCODED_BYTES);
    }

    /**
     * As {@link #readIfComplete(ByteBuf)}, for a string that is known to be short.
     *
     * @param mostBytes that it may take without its length; a longer one is refused before it has arrived
     */
    public static String readIfComplete(final ByteBuf in, final int mostBytes) throws ProtocolException {
        if (in.readableBytes() < Short.BYTES) {
            return null;
        }
        final int length = in.getUnsignedShort(in.readerIndex());
        if (length > mostBytes) {
            throw new ProtocolException("A string claims " + length + " bytes; at most " + mostBytes + " are possible");
        }
        if (in.readableBytes() < Short.BYTES + length) {
            return null;
        }
        final byte[] encoded = new byte[Short.BYTES + length];
        in.readBytes(encoded);
        if (isPlainAscii(encoded)) {
            return new String(encoded, Short.BYTES, length, StandardCharsets.US_ASCII);
        }
        try {
            return DataInputStream.readUTF(new DataInputStream(new ByteArrayInputStream(encoded)));
        } catch (final IOException e) {
            throw new ProtocolException("A string of " + length + " bytes is not modified UTF-8: " + e.getMessage(), e);
        }
    }

    /**
     * Writes one string.
     *
     * @throws ProtocolException if it takes more than 65,535 bytes
     */
    public static void write(final ByteBuf out, final String value) throws ProtocolException {
        try (ByteBufOutputStream stream = new ByteBufOutputStream(out)) {
            stream.writeUTF(value);
        } catch (final IOException e) {
            throw new ProtocolException(
                    "A string of " + value.length() + " characters does not fit: " + e.getMessage(), e);
        }
    }

    /** NUL takes two bytes in modified UTF-8, so a single zero byte is left to the strict reader as well. */
    private static boolean isPlainAscii(final byte[] encoded) {
        for (int i = Short.BYTES; i < encoded.length; i++) {
            if (encoded[i] <= 0) {
                return false;
            }
        }
        return true;
    }
}
