// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.nios2s.wire.PacketDecoder;

/**
 * What becomes one FlowFile: attributes, and content as bytes, a file or a stream. Immutable but for a stream, which can
 * be sent once; any thread.
 *
 * <p>Content of a file or a stream is read in pieces while it is sent, never held as a whole.
 */
public final class Packet {
    /** Opens the content when it is sent. */
    interface ContentSource {
        InputStream open() throws IOException;
    }

    private final Map<String, String> attributes;
    private final long size;
    private final byte[] bytes;
    private final ContentSource source;

    private Packet(
            final Map<String, String> attributes, final long size, final byte[] bytes, final ContentSource source) {
        if (attributes.size() > PacketDecoder.MAX_ATTRIBUTES) {
            throw new IllegalArgumentException(
                    "A packet has at most " + PacketDecoder.MAX_ATTRIBUTES + " attributes, not " + attributes.size());
        }
        this.attributes = Map.copyOf(attributes);
        this.size = size;
        this.bytes = bytes;
        this.source = source;
    }

    /**
     * @param attributes names and values, none of them null
     * @param content not copied: leave it unchanged until the transaction is over
     * @return a packet
     */
    public static Packet of(final Map<String, String> attributes, final byte[] content) {
        return new Packet(attributes, content.length, content, null);
    }

    /**
     * @param attributes names and values, none of them null
     * @param file a file that keeps its size until the transaction is over
     * @return a packet
     * @throws IOException if the file's size can't be told
     */
    public static Packet ofFile(final Map<String, String> attributes, final Path file) throws IOException {
        return new Packet(attributes, Files.size(file), null, () -> Files.newInputStream(file));
    }

    /**
     * @param attributes names and values, none of them null
     * @param content is read, once, by a thread that may block, and closed
     * @param length bytes that are read from it; if it ends earlier the transaction fails
     * @return a packet
     */
    public static Packet ofStream(final Map<String, String> attributes, final InputStream content, final long length) {
        if (length < 0) {
            throw new IllegalArgumentException("The length of a content is 0 or more, not " + length);
        }
        return new Packet(attributes, length, null, () -> content);
    }

    /** @return names and values, unmodifiable */
    public Map<String, String> attributes() {
        return attributes;
    }

    /** @return bytes of content */
    public long size() {
        return size;
    }

    /** @return the whole content, or null if it is read while it is sent */
    byte[] bytes() {
        return bytes;
    }

    ContentSource source() {
        return source;
    }
}
