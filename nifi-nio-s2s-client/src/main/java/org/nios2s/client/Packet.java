// SPDX-License-Identifier: Apache-2.0
package org.nios2s.client;

import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.nios2s.wire.PacketDecoder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes one FlowFile: attributes, and content as bytes, a file, a stream or a publisher. Immutable but for a
 * stream, which can be sent once; any thread.
 *
 * <p>Content that is not given as bytes is read in pieces while it is sent, on a thread that may block, and never held as
 * a whole. Its length stands before it on the wire, so it has to be known; a source that has fewer bytes, or more, fails
 * its transaction.
 */
public final class Packet {
    private static final Logger logger = LoggerFactory.getLogger(Packet.class);

    private static final String FILENAME = "filename";

    /** Opens the content when it is sent. */
    interface ContentSource {
        InputStream open() throws IOException;
    }

    private final Map<String, String> attributes;
    private final long size;
    private final ByteBuffer bytes;
    private final ContentSource source;
    /** The stream that can be read once; null for what can be had again. */
    private final InputStream once;

    private final AtomicBoolean taken = new AtomicBoolean();

    private Packet(
            final Map<String, String> attributes,
            final long size,
            final ByteBuffer bytes,
            final ContentSource source,
            final InputStream once) {
        if (attributes.size() > PacketDecoder.MAX_ATTRIBUTES) {
            throw new IllegalArgumentException(
                    "A packet has at most " + PacketDecoder.MAX_ATTRIBUTES + " attributes, not " + attributes.size());
        }
        if (size < 0) {
            throw new IllegalArgumentException("The length of a content is 0 or more, not " + size);
        }
        this.attributes = Map.copyOf(attributes);
        this.size = size;
        this.bytes = bytes;
        this.source = source;
        this.once = once;
    }

    /**
     * @param attributes names and values, none of them null
     * @param content not copied: leave it unchanged until the transaction is over
     * @return a packet
     */
    public static Packet of(final Map<String, String> attributes, final byte[] content) {
        return of(attributes, ByteBuffer.wrap(content));
    }

    /**
     * @param attributes names and values, none of them null
     * @param content from its position to its limit, both of which stay; not copied: leave it unchanged until the
     *     transaction is over
     * @return a packet
     */
    public static Packet of(final Map<String, String> attributes, final ByteBuffer content) {
        return new Packet(attributes, content.remaining(), content.slice(), null, null);
    }

    /** The same as {@link #ofFile(Map, Path)} with the file's name as the only attribute. */
    public static Packet ofFile(final Path file) throws IOException {
        return ofFile(Map.of(FILENAME, file.getFileName().toString()), file);
    }

    /**
     * @param attributes names and values, none of them null
     * @param file a file that keeps its size until the transaction is over
     * @return a packet
     * @throws IOException if the file's size can't be told
     */
    public static Packet ofFile(final Map<String, String> attributes, final Path file) throws IOException {
        return ofSource(attributes, Files.size(file), () -> Files.newInputStream(file));
    }

    /**
     * @param attributes names and values, none of them null
     * @param content is read, once, by a thread that may block, and closed, also when its turn never comes
     * @param length bytes that are read from it, and not one more; if it ends earlier the transaction fails
     * @return a packet that can't be tried again once it was begun
     */
    public static Packet ofStream(final Map<String, String> attributes, final InputStream content, final long length) {
        return new Packet(attributes, length, null, () -> content, Objects.requireNonNull(content, "content"));
    }

    /**
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
                throw new IOException("the supplier gives null in place of a stream");
            }
            return opened;
        });
    }

    /**
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
            final Map<String, String> attributes, final long length, final ContentSource source) {
        return new Packet(attributes, length, null, source, null);
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
    ByteBuffer bytes() {
        return bytes == null ? null : bytes.duplicate();
    }

    /** @return whether more bytes behind the declared length are a fault */
    boolean endsWithItsSource() {
        return once == null;
    }

    InputStream open() throws IOException {
        if (bytes != null) {
            return new ByteBufInputStream(Unpooled.wrappedBuffer(bytes.duplicate()));
        }
        if (taken.getAndSet(true) && once != null) {
            throw new IOException("its stream was read already, and can be read once");
        }
        return source.open();
    }

    /** @return whether the content can be had, from its beginning */
    boolean isRepeatable() {
        return once == null || !taken.get();
    }

    /** It will not be sent any more: closes a stream whose turn never came. May block. */
    void discard() {
        if (once != null && !taken.getAndSet(true)) {
            try {
                once.close();
            } catch (final IOException | RuntimeException e) {
                logger.debug("A stream that was not sent can't be closed", e);
            }
        }
    }
}
