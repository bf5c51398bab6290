// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Flow;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nios2s.client.internal.transaction.PacketContent;
import org.nios2s.wire.LogText;
import org.nios2s.wire.PacketDecoder;

/**
 * The data of one FlowFile: attributes, and content as bytes, a file, a stream or a publisher. Immutable but for a
 * stream, which can be sent once; any thread.
 *
 * <p>Content that is not given as bytes is read in pieces while it is sent, on a thread that may block, and never held as
 * a whole. Its length stands before it on the wire, so it has to be known; a source that has fewer bytes, or more, fails
 * its transaction.
 *
 * <p>A packet whose attributes name no {@code uuid} is sent with one, which is the same at every attempt. NiFi notes it in the provenance of
 * the FlowFile, which has a {@code uuid} of its own. By this attribute a listener recognizes a packet that is sent again, if the answer to
 * an earlier attempt was lost. So each packet is to be made once, and sent again only if its outcome was a failure.
 */
public final class Packet {
    static {
        PacketContent.readBy(packet -> ((Packet) packet).content);
    }

    private static final String FILENAME = "filename";
    private static final String IDENTIFIER = "uuid";
    private static final int MAX_ATTRIBUTE_CHARACTERS = 16 << 20;

    private final Map<String, String> attributes;
    private final long size;
    private final @Nullable ByteBuffer bytes;
    private final PacketContent content;
    /** With an identifier, once the packet was sent. */
    private @Nullable Map<String, String> identifiedAttributes;

    private Packet(
            final Map<String, String> attributes,
            final long size,
            final @Nullable ByteBuffer bytes,
            final PacketContent content) {
        if (attributes.size() > PacketDecoder.MAX_ATTRIBUTES) {
            throw new IllegalArgumentException(
                    "A packet has at most " + PacketDecoder.MAX_ATTRIBUTES + " attributes, not " + attributes.size());
        }
        if (size < 0) {
            throw new IllegalArgumentException("The length of a content is 0 or more, not " + size);
        }
        this.attributes = Map.copyOf(attributes);
        requireAttributesFit(this.attributes);
        this.size = size;
        this.bytes = bytes;
        this.content = content;
    }

    /** The NIO listener takes no more, and closes the connection of what has more. */
    private static void requireAttributesFit(final Map<String, String> attributes) {
        long bytes = 0;
        for (final Map.Entry<String, String> attribute : attributes.entrySet()) {
            bytes += attribute.getKey().length() + attribute.getValue().length();
        }
        if (bytes > MAX_ATTRIBUTE_CHARACTERS) {
            throw new IllegalArgumentException("The attributes of a packet have at most " + MAX_ATTRIBUTE_CHARACTERS
                    + " characters, not " + bytes);
        }
    }

    /**
     * Makes a packet of bytes.
     *
     * @param attributes names and values, none of them null
     * @param content not copied: leave it unchanged until the transaction is over
     * @return a packet
     */
    public static Packet of(final Map<String, String> attributes, final byte[] content) {
        return ofBytes(attributes, ByteBuffer.wrap(content));
    }

    /**
     * Makes a packet of a buffer.
     *
     * @param attributes names and values, none of them null
     * @param content from its position to its limit, both of which stay; not copied: leave it unchanged until the
     *     transaction is over
     * @return a packet
     */
    public static Packet of(final Map<String, String> attributes, final ByteBuffer content) {
        return ofBytes(attributes, content.slice());
    }

    private static Packet ofBytes(final Map<String, String> attributes, final ByteBuffer bytes) {
        return new Packet(
                attributes,
                bytes.remaining(),
                bytes,
                PacketContent.repeatable(() -> new BufferInputStream(bytes.duplicate())));
    }

    /**
     * The same as {@link #ofFile(Map, Path)} with the file's name as the only attribute.
     *
     * @param file as there
     * @return a packet
     * @throws IOException if the file's size can't be told
     */
    public static Packet ofFile(final Path file) throws IOException {
        return ofFile(Map.of(FILENAME, file.getFileName().toString()), file);
    }

    /**
     * Makes a packet of a file.
     *
     * @param attributes names and values, none of them null
     * @param file a file that keeps its size until the transaction is over
     * @return a packet
     * @throws IOException if the file's size can't be told
     */
    public static Packet ofFile(final Map<String, String> attributes, final Path file) throws IOException {
        return ofSource(attributes, Files.size(file), () -> Files.newInputStream(file));
    }

    /**
     * Makes a packet of a stream.
     *
     * @param attributes names and values, none of them null
     * @param content is read, once, by a thread that may block, and closed, also when its turn never comes
     * @param length bytes that are read from it, and not one more; if it ends earlier the transaction fails
     * @return a packet that can't be tried again once it was begun
     */
    public static Packet ofStream(final Map<String, String> attributes, final InputStream content, final long length) {
        return new Packet(attributes, length, null, PacketContent.once(Objects.requireNonNull(content, "content")));
    }

    /**
     * Makes a packet of a supplier of streams.
     *
     * @param attributes names and values, none of them null
     * @param content gives the content, from its beginning, at every attempt; it may block, and is closed
     * @param length bytes of it
     * @return a packet
     */
    public static Packet ofSupplier(
            final Map<String, String> attributes, final Supplier<InputStream> content, final long length) {
        Objects.requireNonNull(content, "content");
        return ofSource(attributes, length, () -> {
            final InputStream opened = content.get();
            if (opened == null) {
                throw new IOException("the supplier returned null in place of a stream");
            }
            return opened;
        });
    }

    /**
     * Makes a packet of a publisher.
     *
     * @param attributes names and values, none of them null
     * @param content is subscribed to at every attempt, and asked for no more than can be sent
     * @param length bytes of it
     * @return a packet
     */
    public static Packet ofPublisher(
            final Map<String, String> attributes, final Flow.Publisher<ByteBuffer> content, final long length) {
        Objects.requireNonNull(content, "content");
        return ofSource(attributes, length, () -> PublisherInputStream.of(content));
    }

    private static Packet ofSource(
            final Map<String, String> attributes, final long length, final PacketContent.Source source) {
        return new Packet(attributes, length, null, PacketContent.repeatable(source));
    }

    /**
     * Tells the attributes.
     *
     * @return names and values, unmodifiable
     */
    public Map<String, String> attributes() {
        return attributes;
    }

    /**
     * Tells the attributes as they are sent.
     *
     * @return the attributes, and a {@code uuid} if they have none: the same one each time
     */
    public synchronized Map<String, String> sentAttributes() {
        if (attributes.containsKey(IDENTIFIER) || attributes.size() == PacketDecoder.MAX_ATTRIBUTES) {
            return attributes;
        }
        if (identifiedAttributes == null) {
            final Map<String, String> identified = new HashMap<>(attributes);
            // Unique is enough: nobody gains anything by guessing it.
            final ThreadLocalRandom random = ThreadLocalRandom.current();
            identified.put(IDENTIFIER, new UUID(random.nextLong(), random.nextLong()).toString());
            identifiedAttributes = Collections.unmodifiableMap(identified);
        }
        return identifiedAttributes;
    }

    /**
     * Tells the length.
     *
     * @return bytes of content
     */
    public long size() {
        return size;
    }

    /**
     * Gives the content, if it lies in memory.
     *
     * @return the whole content, or null if it is read while it is sent
     */
    public @Nullable ByteBuffer bytes() {
        return bytes == null ? null : bytes.duplicate();
    }

    /**
     * Describes the packet for logs.
     *
     * @return size and attributes on one printable line, which is cut if it is long
     */
    @Override
    public String toString() {
        return LogText.of("Packet[" + size + " bytes, " + attributes + "]");
    }
}
