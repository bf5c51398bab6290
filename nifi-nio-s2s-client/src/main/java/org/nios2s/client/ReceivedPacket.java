// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/**
 * A packet that was pulled. Belongs to the thread that receives it, until the next packet is asked for or its batch is
 * over: what was not read by then can't be read any more, and reading it fails.
 *
 * @param attributes names and values
 * @param size bytes of content
 * @param content exactly {@code size} bytes, read from the network as they are asked for; what is left unread is skipped
 */
public record ReceivedPacket(Map<String, String> attributes, long size, InputStream content) {
    /** The longest array that a JVM allows. */
    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    /**
     * Reads the whole content into memory, so that it can be kept.
     *
     * @return all of its {@link #size} bytes
     * @throws IOException if the transaction failed, or the content was read or left before, or no array can hold it
     */
    public byte[] bytes() throws IOException {
        if (size > LONGEST_ARRAY) {
            throw new IOException("The content has " + size + " bytes, more than an array holds: read the stream");
        }
        final byte[] all = content.readNBytes((int) size);
        if (all.length < size) {
            throw new EOFException(
                    "The content has " + size + " bytes, but " + (size - all.length) + " of them were read before");
        }
        return all;
    }
}
